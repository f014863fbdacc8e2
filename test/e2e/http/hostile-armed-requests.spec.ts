import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { RawClient } from '../../support/raw-client';
import { redisOnPath, startRedis } from '../../support/redis';

/** Requests a minute of the attacker's key. */
const LIMIT = 60;
const ARMED = 120;
const BODY = JSON.stringify({ platform: 'telegram', recipient: '7', message: 'Hello' });

const itWithRedis = redisOnPath() ? it : it.skip;

interface MadeKey {
  id: string;
  key: string;
}

/** Sends, of which all but the last byte has arrived. */
class Armed {
  private readonly arrived: { request: IncomingMessage; response: ServerResponse }[] = [];
  private readonly clients: RawClient[] = [];

  constructor(private readonly gateway: TestGateway) {
    const note = (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/api/v1/messages/send') this.arrived.push({ request, response });
    };
    gateway.app.getHttpServer().prependListener('request', note);
  }

  /** Resolves when the guards have let each pass, or have refused it. */
  async add(key: string, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const client = new RawClient(this.gateway.url).write(
        'POST /api/v1/messages/send HTTP/1.1',
        'Host: gateway',
        'Connection: close',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${BODY.length}`,
        '',
        BODY.slice(0, -1),
      );
      this.clients.push(client);
    }
    await eventually('the gateway waits for the rest of each, or has answered', () => {
      const judged = this.arrived.filter(
        ({ request, response }) => response.headersSent || request.listenerCount('data') > 0,
      );
      expect(judged.length).toBe(this.clients.length);
    });
  }

  /** Completes all of them in one turn of the event loop. @returns how many answers there are of each status */
  async fire(): Promise<Record<number, number>> {
    for (const { socket } of this.clients) socket.write(BODY.slice(-1));
    const answers = await Promise.all(this.clients.map((client) => client.answer()));
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
}

describe('open requests that are completed at the same moment', () => {
  let gateway: TestGateway;

  const start = async (env: NodeJS.ProcessEnv = {}) => {
    gateway = await startTestGateway({ env });
    const settings = { rate_limits: { messages_per_minute: 1_000 } };
    expect((await gateway.api('PATCH', '/admin/settings', settings, { key: gateway.testKey })).status).toBe(200);
  };

  beforeAll(() => start());

  /** Made by a key of the other environment, whose requests count apart. */
  const makeKey = async () => {
    const limits = { requests_per_minute: LIMIT, requests_per_hour: 1_000 };
    const request = { name: 'Armed', environment: 'test', scopes: ['write:messages'], rate_limit: limits };
    return (await gateway.api<MadeKey>('POST', '/admin/api-keys', request)).body.data;
  };
  const sent = async () => {
    const rows = await gateway.sql('SELECT 1 FROM messages');
    await gateway.sql('TRUNCATE messages CASCADE');
    return rows.length;
  };

  it('count in the limit of their key as any other request does', async () => {
    const { key } = await makeKey();
    const armed = new Armed(gateway);
    await armed.add(key, ARMED);
    expect(await armed.fire()).toEqual({ 200: LIMIT, 429: ARMED - LIMIT });
    expectAtMost({ name: `sends of ${ARMED} armed requests`, value: await sent(), unit: 'sends', most: LIMIT });
  });

  it('are limited by a limit that was lowered meanwhile', async () => {
    const { id, key } = await makeKey();
    const armed = new Armed(gateway);
    await armed.add(key, 30);
    const rate_limit = { requests_per_minute: 20 };
    expect((await gateway.api('PATCH', `/admin/api-keys/${id}`, { rate_limit })).status).toBe(200);
    await armed.add(key, 30);
    expect(await armed.fire()).toEqual({ 200: 30, 429: 30 });
    expect(await sent()).toBe(30);
  });

  it('are limited together with a rolled value of their key', async () => {
    const { id, key } = await makeKey();
    const armed = new Armed(gateway);
    await armed.add(key, 30);
    const rolled = (await gateway.api<MadeKey>('POST', `/admin/api-keys/${id}/roll`, { grace_hours: 1 })).body.data;
    await armed.add(rolled.key, LIMIT);
    expect(await armed.fire()).toEqual({ 200: LIMIT, 429: 30 });
    expect(await sent()).toBe(LIMIT);
  });

  it.each([
    { change: 'revoked', end: (id: string) => gateway.api('DELETE', `/admin/api-keys/${id}`), status: 401 },
    {
      change: 'rolled without a grace',
      end: (id: string) => gateway.api('POST', `/admin/api-keys/${id}/roll`, { grace_hours: 0 }),
      status: 401,
    },
    {
      change: 'bound to other addresses',
      end: (id: string) => gateway.api('PATCH', `/admin/api-keys/${id}`, { allowed_ips: ['203.0.113.0/24'] }),
      status: 403,
    },
  ])('are refused if their key is $change meanwhile', async ({ end, status }) => {
    const { id, key } = await makeKey();
    const armed = new Armed(gateway);
    await armed.add(key, LIMIT);
    expect((await end(id)).status).toBe(200);
    expect(await armed.fire()).toEqual({ [status]: LIMIT });
    expect(await sent()).toBe(0);
  });

  itWithRedis('act as often as the limit allows, though Redis goes away while they are held', async () => {
    const redis = (await startRedis())!;
    await start({ REDIS_URL: redis.url });
    const { key } = await makeKey();
    const armed = new Armed(gateway);
    await armed.add(key, ARMED / 2);
    await redis.stop();
    await armed.add(key, ARMED / 2);
    expect(await armed.fire()).toEqual({ 200: LIMIT, 429: ARMED - LIMIT });
    expect(await sent()).toBe(LIMIT);
    await gateway.stop();
  });
});
