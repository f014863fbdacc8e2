import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../test/support/eventually';
import { ConnectionDrain } from './connection-drain';

const TIMEOUT_MS = 300;
/** Longer than a quiet turn of the event loop. */
const BUSY_MS = 2;
const CLIENTS = 16;

describe(ConnectionDrain.name, () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('closes an idle listener at once', async () => {
    expect(await new ConnectionDrain(server, 60_000).closeListener()).toBe(true);
    expect(server.listening).toBe(false);
  });

  it('closes a busy listener when its time is up, and logs it', async () => {
    let isBusy = true;
    const work = () => {
      for (const until = performance.now() + BUSY_MS; performance.now() < until;);
      if (isBusy) setImmediate(work);
    };
    work();
    const startedAt = performance.now();
    expect(await new ConnectionDrain(server, TIMEOUT_MS).closeListener()).toBe(false);
    isBusy = false;
    expect(server.listening).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(TIMEOUT_MS);
  });

  it('closes soon although clients reconnect after each response, and answers every request', async () => {
    const { port } = server.address() as AddressInfo;
    server.on('request', (asked, response) => {
      for (const until = performance.now() + BUSY_MS; performance.now() < until;);
      asked.resume().on('end', () => response.end());
    });
    let answered = 0;
    const ask = () =>
      new Promise<string | undefined>((resolve) => {
        const asked = request({ port, method: 'POST', agent: new Agent() }, (response) => {
          answered += 1;
          response.resume().on('end', () => resolve(undefined));
        });
        asked.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).end('a body');
      });
    const askAgain = async () => {
      for (;;) {
        const failure = await ask();
        if (failure) return failure;
      }
    };
    const clients = Array.from({ length: CLIENTS }, askAgain);
    await eventually('they are answered', () => expect(answered).toBeGreaterThan(CLIENTS));
    expect(await new ConnectionDrain(server, 60_000).closeListener()).toBe(true);
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']));
  });
});
