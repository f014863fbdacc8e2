import type { Server } from 'node:http';
import { RESERVE } from '../../../src/core/http/hardening/connection-limits';
import { listenToo } from '../../../src/core/http/hardening/listening';
import { eventually } from '../../support/eventually';
import { startTestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

/** `HOST=localhost` where the name has two addresses; not every machine has IPv6. */
const FURTHER = '127.0.0.9';
const MAX = 32;

async function start() {
  const gateway = await startTestGateway({ env: { HOST: 'localhost', MAX_CONNECTIONS: String(MAX) } });
  const server: Server = gateway.app.getHttpServer();
  await listenToo(server, FURTHER);
  const further = new URL(gateway.url);
  further.hostname = FURTHER;
  const clients: RawClient[] = [];
  const connect = (url: string | URL) => {
    const client = new RawClient(String(url));
    clients.push(client);
    return client;
  };
  const drop = () => clients.forEach(({ socket }) => socket.destroy());
  return { gateway, server, further, connect, drop };
}

const get = (path: string) => [`GET ${path} HTTP/1.1`, 'Host: gateway', 'Connection: close', '', ''];

describe('the second address of localhost', () => {
  it('shares the socket limits of the first', async () => {
    const { gateway, further, connect, drop } = await start();
    let opened = 0;
    gateway.app.getHttpServer().on('connection', () => (opened += 1));
    for (let count = 0; count < MAX - RESERVE; count += 1) connect(count % 2 === 0 ? further : gateway.url);
    await eventually('they are open', () => expect(opened).toBe(MAX - RESERVE));
    const refused = connect(further).write(...get('/api/v1/status'));
    expect(await refused.answer()).toMatchObject({ status: 429, headers: { connection: 'close' } });
    expect(
      (
        await connect(further)
          .write(...get('/health/live'))
          .answer()
      ).status,
    ).toBe(200);
    // Reserved sockets wait a second for their headers: then those above all limits have been cut long ago.
    const waiting = Array.from({ length: RESERVE }, () => connect(further));
    await eventually('the reserve is taken', () => expect(opened).toBeGreaterThanOrEqual(MAX + 2));
    const above = connect(further);
    expect(await above.answer()).toMatchObject({ status: NaN });
    expect(await waiting[0]!.answer()).toMatchObject({ status: 429 });
    drop();
  });

  it('answers requests that the parser rejects in the envelope', async () => {
    const { further, connect } = await start();
    const { status, body, headers } = await connect(further).write('nonsense\r\n\r\n').answer();
    expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({
      status: 400,
      body: { success: false, error: { code: 'INVALID_REQUEST' }, meta: { request_id: headers['x-request-id'] } },
    });
  });

  it('is closed with the first when the gateway stops', async () => {
    const { gateway, further, connect } = await start();
    expect(
      (
        await connect(further)
          .write(...get('/health/live'))
          .answer()
      ).status,
    ).toBe(200);
    await gateway.stop();
    const refused = await new Promise<NodeJS.ErrnoException>((resolve) => connect(further).socket.on('error', resolve));
    expect(refused.code).toBe('ECONNREFUSED');
  });
});
