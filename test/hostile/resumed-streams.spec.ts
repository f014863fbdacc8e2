import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { EventSourceClient } from '../support/event-source';
import { eventually } from '../support/eventually';
import { GatewayProcess } from '../support/process';
import { RawClient } from '../support/raw-client';
import { expectAtMost } from './figures';

const KEYS = 15;
const STREAMS_PER_KEY = 10;
const EVENTS = 200;
/** JSON escapes each character as six. */
const LONG_TEXT = '\u0001'.repeat(16_384);
const WATCH_MS = 8_000;

jest.setTimeout(180_000);

describe('event streams that resume over 200 events of 98 KB', () => {
  let gateway: GatewayProcess;
  let keys: string[];
  let first: string;

  beforeAll(async () => {
    gateway = await GatewayProcess.start();
    const createKey = async (index: number) => {
      const wide = { requests_per_minute: 100_000, requests_per_hour: 100_000 };
      const body = { name: `Hostile ${index}`, environment: 'test', scopes: ['*'], rate_limit: wide };
      return (await gateway.api<{ key: string }>('POST', '/admin/api-keys', body)).body.data.key;
    };
    keys = await Promise.all(Array.from({ length: KEYS }, (_, index) => createKey(index)));
    const call = { key: keys[0]! };
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } }, call);
    const live = await EventSourceClient.open(gateway.url, keys[0]!, '/events/stream?types=message.received');
    const body = { platform: 'telegram', sender: { id: '7' }, content: LONG_TEXT };
    for (let count = 0; count <= EVENTS; count += 1)
      expect((await gateway.api('POST', '/sandbox/inbound', body, call)).status).toBe(200);
    first = await eventually('the events are there', () => {
      expect(live.events.length).toBeGreaterThan(EVENTS);
      return live.ids[0]!;
    });
    live.close();
  }, 120_000);

  const residentMb = async () => {
    const status = await readFile(`/proc/${gateway.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024;
  };
  const resume = (key: string) =>
    new RawClient(gateway.url, { reads: false }).write(
      `GET /api/v1/events/stream?types=message.received&last_event_id=${first} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${key}`,
      '',
      '',
    );

  it('need less than 200 MB if 150 clients read nothing, and a slow client gets every event', async () => {
    const before = await residentMb();
    const clients = keys.flatMap((key) => Array.from({ length: STREAMS_PER_KEY - 1 }, () => resume(key)));
    const [slowKey = '', ...others] = keys;
    clients.push(...others.map(resume));
    const path = `/events/stream?types=message.received&last_event_id=${first}`;
    const slow = await EventSourceClient.open(gateway.url, slowKey, path);
    const pausing = setInterval(() => {
      slow.response.pause();
      globalThis.setTimeout(() => slow.response.resume(), 40);
    }, 50);
    let most = before;
    const endsAt = performance.now() + WATCH_MS;
    while (performance.now() < endsAt) {
      await setTimeout(50);
      const { statusCode, body } = await request(`${gateway.url}/health/ready`);
      await body.dump();
      expect(statusCode).toBe(200);
      most = Math.max(most, await residentMb());
    }
    await eventually(
      'the slow client has every event',
      () => expect(new Set(slow.ids).size).toBeGreaterThanOrEqual(EVENTS),
      { timeoutMs: 60_000 },
    );
    clearInterval(pausing);
    expect([slow.isOver, slow.ids.length]).toEqual([false, new Set(slow.ids).size]);
    slow.close();
    for (const { socket } of clients) socket.destroy();
    expectAtMost({ name: 'memory of 150 resumed streams', value: most - before, unit: 'MB', most: 200 });
  });
});
