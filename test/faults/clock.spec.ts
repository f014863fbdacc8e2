import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../support/process';
import { eventually } from '../support/eventually';
import { Deployment } from './deployment';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** What two instances may differ in, and a busy machine may take. */
const NEAR_MS = 3_000;
/** Longer than the lease of a dispatch. */
const SLOW_MS = 12_000;

/** Both machines are wrong, by two hours between them; the database's clock, and the test's, is right. */
describe('instances whose clocks are an hour ahead and an hour behind', () => {
  let deployment: Deployment;
  let ahead: GatewayProcess;
  let behind: GatewayProcess;
  let startedAt: number;

  const startShifted = (shiftMs: number) =>
    deployment.startInstance({
      NODE_OPTIONS: `--require ${join(__dirname, 'shifted-clock.cjs')}`,
      CLOCK_SHIFT_MS: String(shiftMs),
    });

  beforeAll(async () => {
    startedAt = Date.now();
    deployment = await Deployment.create();
    ahead = await startShifted(HOUR_MS);
    behind = await startShifted(-HOUR_MS);
    await deployment.register(ahead);
  }, 90_000);

  afterAll(() => deployment.stop());

  const expectNow = (time: number) => {
    expect(time).toBeGreaterThan(startedAt - NEAR_MS);
    expect(time).toBeLessThan(Date.now() + NEAR_MS);
  };

  /** One after the other, by turns, further apart than instances may differ. @returns the texts in order */
  const sendByTurns = async (name: string, count: number): Promise<string[]> => {
    const texts = Array.from({ length: count }, (_, index) => `${name} ${index}`);
    for (const [index, text] of texts.entries()) {
      expect(await deployment.send(index % 2 ? ahead : behind, 'ada', text)).toBe(200);
      await sleep(300);
    }
    return texts;
  };

  const expectStampedRight = async (texts: readonly string[]) => {
    const { body } = await ahead.api<{ content: string }[]>('GET', `/messages?per_page=${texts.length}`);
    expect(body.data.map(({ content }) => content).toReversed()).toEqual(texts);
    const byId = await deployment.sql<{ content: string }>('SELECT content FROM messages ORDER BY id');
    expect(byId.map(({ content }) => content).slice(-texts.length)).toEqual(texts);
    expectNow(Date.parse(body.meta.timestamp));
    for (const column of [
      'messages.created_at',
      'messages.sent_at',
      'events.created_at',
      'api_keys.created_at',
      'webhooks.created_at',
      'webhook_deliveries.created_at',
      'webhook_dispatches.created_at',
      'conversations.last_message_at',
    ]) {
      const [table, name] = column.split('.');
      const [row] = await deployment.sql<{ first: Date; last: Date }>(
        `SELECT min(${name}) AS first, max(${name}) AS last FROM ${table}`,
      );
      expectNow(row!.first.getTime());
      expectNow(row!.last.getTime());
    }
  };

  it('store correct times, keep the order and deliver together', async () => {
    await expectStampedRight(await sendByTurns('first', 8));
    expect((await deployment.allArrive()).print('Clocks an hour ahead and behind').most).toBe(1);
    for (const { headers } of deployment.receiver.posts) expectNow(Number(headers['x-service-timestamp']) * 1_000);
  }, 60_000);

  it('continue to send and deliver when their clocks are set', async () => {
    ahead.child.kill('SIGUSR2');
    behind.child.kill('SIGUSR2');
    await expectStampedRight(await sendByTurns('after the clocks were set', 8));
  }, 60_000);

  it('retry on time, neither early nor late', async () => {
    const before = deployment.receiver.posts.length;
    deployment.refuse(20);
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => deployment.send(index % 2 ? ahead : behind, `bob-${index}`)),
    );
    expect((await deployment.allArrive()).print('Clocks set while 20 deliveries are refused').most).toBe(1);
    const attempts = Map.groupBy(deployment.receiver.posts.slice(before), ({ event }) => event.id);
    const pauses = [...attempts.values()]
      .filter(({ length }) => length > 1)
      .map(([first, next]) => next!.at - first!.at);
    expect(pauses.length).toBeGreaterThan(0);
    expect(Math.min(...pauses)).toBeGreaterThan(990);
    expect(Math.max(...pauses)).toBeLessThan(10_000);
    const { body } = await behind.api<{ id: string }[]>('GET', '/webhooks');
    const deliveries = await behind.api<{ timestamp: string }[]>(
      'GET',
      `/webhooks/${body.data[0]!.id}/deliveries?per_page=100`,
    );
    for (const { timestamp } of deliveries.body.data) expectNow(Date.parse(timestamp));
  }, 60_000);

  it('do not take over each other’s slow deliveries', async () => {
    deployment.receiver.react((_, response) => void setTimeout(() => response.end(), SLOW_MS));
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => deployment.send(index % 2 ? ahead : behind, `eve-${index}`)),
    );
    expect((await deployment.allArrive()).print(`Clocks off, a receiver that takes ${SLOW_MS / 1_000} s`).most).toBe(1);
    deployment.receiver.react(200);
  }, 60_000);

  it('expire keys and limit requests by the database’s time', async () => {
    const in30Minutes = new Date(Date.now() + 30 * MINUTE_MS).toISOString();
    const made = await behind.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'short-lived',
      scopes: ['read:messages'],
      expires_at: in30Minutes,
      rate_limit: { requests_per_minute: 3, requests_per_hour: 100 },
    });
    const { key } = made.body.data;
    for (const instance of [ahead, behind]) {
      const answers = [];
      for (let call = 0; call < 4; call++) answers.push(await instance.api('GET', '/messages', undefined, { key }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      const { headers } = answers[3]!;
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(62);
      const resetMs = Number(headers['x-ratelimit-reset']) * 1_000 - Date.now();
      expect(resetMs).toBeGreaterThan(0);
      expect(resetMs).toBeLessThan(MINUTE_MS + NEAR_MS);
    }
    await deployment.sql(
      `UPDATE api_keys SET expires_at = now() - interval '30 minutes', requests_per_minute = 100 WHERE name = 'short-lived'`,
    );
    await deployment.sql(`SELECT pg_notify('gateway', 'api_keys:')`);
    await eventually('both instances refuse the expired key', async () => {
      for (const instance of [ahead, behind]) {
        const { body } = await instance.api('GET', '/messages', undefined, { key });
        expect(body.error.code).toBe('API_KEY_EXPIRED');
      }
    });
  }, 60_000);

  it('count messages in the correct hour', async () => {
    const [row] = await deployment.sql<{ count: number }>('SELECT count(*)::int AS count FROM messages');
    for (const instance of [ahead, behind]) {
      const { body } = await instance.api<{
        period: { end: string };
        totals: { messages: number };
        timeline: { date: string; hour: number; messages: number }[];
      }>('GET', '/admin/stats?period=1d&group_by=hour');
      expectNow(Date.parse(body.data.period.end));
      expect(body.data.totals.messages).toBe(row!.count);
      const { date, hour } = body.data.timeline.at(-1)!;
      const lastBucket = Date.parse(`${date}T${String(hour).padStart(2, '0')}:00:00Z`);
      expect(lastBucket).toBe(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
    }
  });
});
