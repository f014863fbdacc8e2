import { createServer, type Server } from 'node:http';
import { ConnectionDrain } from './connection-drain';

const TIMEOUT_MS = 300;
/** Longer than a quiet turn of the event loop. */
const BUSY_MS = 2;

describe(ConnectionDrain.name, () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  it('closes a quiet listener at once', async () => {
    expect(await new ConnectionDrain(server, 60_000).closeListener()).toBe(true);
    expect(server.listening).toBe(false);
  });

  it('closes a listener that never becomes quiet when its time is up, and tells', async () => {
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
});
