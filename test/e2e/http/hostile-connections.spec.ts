import { RESERVE } from '../../../src/core/http/hardening/connection-limits';
import { eventually } from '../../support/eventually';
import { startTestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';

const MAX = 40;
const PER_ADDRESS = 10;

const get = (path: string, ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: gateway', ...headers, '', ''];

async function start(env: NodeJS.ProcessEnv) {
  const gateway = await startTestGateway({ env });
  const clients: RawClient[] = [];
  const connect = (from?: string) => {
    const client = new RawClient(gateway.url, { from });
    clients.push(client);
    return client;
  };
  const open = () =>
    new Promise<number>(
      (resolve) => void gateway.app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)),
    );
  /** Opens silent connections, and waits until the server has them. */
  const fill = async (count: number, from: (index: number) => string) => {
    for (let index = 0; index < count; index += 1) connect(from(index));
    await eventually('they are open', async () => expect(await open()).toBe(count));
  };
  const drop = () => {
    for (const { socket } of clients) socket.destroy();
  };
  const end = async () => {
    drop();
    await eventually('they are closed', async () => expect(await open()).toBe(0));
  };
  return { gateway, connect, fill, open, end, drop };
}

const refusedOf = async (client: RawClient) => {
  const { status, headers, body } = await client.answer();
  const answer = JSON.parse(body) as { error: unknown; meta: { request_id: string } };
  expect(headers).toMatchObject({ connection: 'close', 'retry-after': '1', 'x-request-id': answer.meta.request_id });
  return { status, error: answer.error };
};
const refused = (limit: number) => ({
  status: 429,
  error: {
    code: 'RATE_LIMIT_EXCEEDED',
    message: expect.any(String) as string,
    details: { limit, window_seconds: 1, retry_after_seconds: 1 },
  },
});

describe('MAX_CONNECTIONS', () => {
  it('reserves the last 16 sockets for /health, with headers within a second', async () => {
    const { connect, fill, open, end } = await start({ MAX_CONNECTIONS: String(MAX) });
    await fill(MAX - RESERVE, (index) => `127.0.0.${2 + (index % 50)}`);
    const health = connect().write(...get('/health/live'));
    expect((await health.answer()).status).toBe(200);
    expect(health.answered().headers).toMatchObject({ connection: 'close' });
    expect(await refusedOf(connect().write(...get('/api/v1/status')))).toEqual(refused(MAX));
    const silent = connect();
    expect(await refusedOf(silent)).toEqual(refused(MAX));
    const tookMs = await silent.closed;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(2_000);
    for (let count = 0; count < 100; count += 1) connect();
    await eventually('all but the limit are cut', async () => expect(await open()).toBeLessThanOrEqual(MAX));
    await end();
    expect(
      (
        await connect()
          .write(...get('/api/v1/status', 'Connection: close'))
          .answer()
      ).status,
    ).toBe(401);
    await end();
  });
});

describe('MAX_CONNECTIONS_PER_ADDRESS', () => {
  it('limits the sockets of one address, and serves another address', async () => {
    const { connect, fill, open, end } = await start({ MAX_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS) });
    await fill(PER_ADDRESS, () => '127.0.0.2');
    expect(await refusedOf(connect('127.0.0.2').write(...get('/api/v1/status')))).toEqual(refused(PER_ADDRESS));
    expect(
      (
        await connect('127.0.0.2')
          .write(...get('/health/live'))
          .answer()
      ).status,
    ).toBe(200);
    expect(
      (
        await connect('127.0.0.3')
          .write(...get('/api/v1/status', 'Connection: close'))
          .answer()
      ).status,
    ).toBe(401);
    for (let count = 0; count < 100; count += 1) connect('127.0.0.2');
    await eventually('most are cut', async () => expect(await open()).toBeLessThanOrEqual(PER_ADDRESS + RESERVE));
    await end();
  });

  it('counts the open requests of a client behind a trusted proxy, not the sockets of the proxy', async () => {
    const env = { MAX_CONNECTIONS_PER_ADDRESS: '3', TRUST_PROXY: '127.0.0.0/8' };
    const { gateway, connect, drop } = await start(env);
    const post = (client: string) => [
      'POST /api/v1/messages/send HTTP/1.1',
      'Host: gateway',
      `X-Forwarded-For: ${client}`,
      `Authorization: Bearer ${gateway.testKey}`,
      'Content-Type: application/json',
      'Content-Length: 10',
      '',
      '{',
    ];
    let requests = 0;
    gateway.app.getHttpServer().on('request', () => (requests += 1));
    for (const client of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '203.0.113.7']) connect().write(...post(client));
    await eventually('they are under way', () => expect(requests).toBe(4));
    const from = (client: string, path = '/api/v1/status') =>
      gateway.api('GET', path, undefined, { headers: { 'x-forwarded-for': client } });
    expect(await from('2001:db8::4')).toMatchObject({ status: 429, body: { error: { details: { limit: 3 } } } });
    expect((await from('2001:db8::4', '/health/live')).status).toBe(200);
    expect((await from('2001:db8:0:1::1')).status).toBe(200);
    expect((await from('203.0.113.7')).status).toBe(200);
    drop();
    await eventually('they have ended', async () => expect((await from('2001:db8::4')).status).toBe(200));
  });
});

it('a client that closes its side is disconnected a second after its response', async () => {
  const { connect, open } = await start({});
  const refusedOne = connect().write('nonsense\r\n\r\n');
  const answered = connect().write(...get('/health/live'));
  await eventually('both are answered', () => {
    expect(refusedOne.answered().status).toBe(400);
    expect(answered.answered().status).toBe(200);
  });
  answered.socket.end();
  await eventually('neither is open', async () => expect(await open()).toBe(0), { timeoutMs: 3_000 });
});
