import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { eventually } from '../support/eventually';
import { GatewayProcess } from '../support/process';
import { RawClient } from '../support/raw-client';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { expectAtMost } from './figures';

const CLIENTS = 60;
/** How long each kind is watched, in milliseconds. */
const WATCH_MS = 8_000;
const MEBIBYTE = 1_048_576;
/** A `Buffer`, so that this process need not encode it. */
const SPACES = Buffer.alloc(4 * MEBIBYTE, ' ');
const LONG_TEXT = '🦊'.repeat(16_384);

jest.setTimeout(120_000);

describe('sixty clients', () => {
  let gateway: GatewayProcess;
  let whatsapp: WhatsAppFake;
  let testKey: string;

  beforeAll(async () => {
    whatsapp = await new WhatsAppFake().start();
    gateway = await GatewayProcess.start({ env: whatsapp.env });
    const wide = { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 };
    const key = { name: 'Hostile', environment: 'test', scopes: ['*'], rate_limit: wide };
    testKey = (await gateway.api<{ key: string }>('POST', '/admin/api-keys', key)).body.data.key;
    const settings = { rate_limits: { messages_per_minute: 100_000 } };
    expect((await gateway.api('PATCH', '/admin/settings', settings, { key: testKey })).status).toBe(200);
    const body = { platform: 'telegram', recipient: '7', message: LONG_TEXT };
    for (let count = 0; count < 100; count += 1) {
      await eventually('it is sent', async () => {
        expect((await gateway.api('POST', '/messages/send', body, { key: testKey })).status).toBe(200);
      });
    }
    for (let count = 0; count < 3; count += 1) await readPage();
  }, 120_000);

  const readPage = async () => {
    const headers = { authorization: `Bearer ${testKey}` };
    const { statusCode, body } = await request(`${gateway.url}/api/v1/messages?per_page=100`, { headers });
    return { statusCode, length: (await body.text()).length };
  };
  const residentMb = async () => {
    const status = await readFile(`/proc/${gateway.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024;
  };
  /** Sockets that clients of this machine have open to the gateway. */
  const openSockets = async () => {
    const port = Number(new URL(gateway.url).port).toString(16).toUpperCase().padStart(4, '0');
    const table = await readFile('/proc/net/tcp', 'utf8');
    return table.split('\n').filter((line) => new RegExp(`^\\s*\\d+: \\w+:${port} \\w+:\\w+ (01|08) `).test(line))
      .length;
  };

  const client = (reads = true) => new RawClient(gateway.url, { reads });
  const post = (path: string, length: number, ...headers: string[]) => {
    const poster = client().write(
      `POST ${path} HTTP/1.1`,
      'Host: gateway',
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      ...headers,
      '',
      '',
    );
    poster.socket.write(SPACES.subarray(0, length - 1));
    return poster;
  };
  const askForPage = () => {
    const head = ['GET /api/v1/messages?per_page=100 HTTP/1.1', 'Host: gateway', `Authorization: Bearer ${testKey}`];
    return client(false).write(...head, '', '');
  };
  const signature = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`;

  const KINDS: Readonly<Record<string, () => RawClient>> = {
    'that say nothing': () => client(),
    'that post 4 MiB to a callback that no platform has': () => post('/callbacks/unknown', 4 * MEBIBYTE),
    'that post 4 MiB to a callback without a signature': () => post('/callbacks/whatsapp', 4 * MEBIBYTE),
    'that hold 4 MiB at a callback with a forged signature': () => post('/callbacks/whatsapp', 4 * MEBIBYTE, signature),
    'that post 4 MiB to the API without a key': () => post('/api/v1/messages/send', 4 * MEBIBYTE),
    'that are refused and never end their side': () => client().write('nonsense\r\n\r\n'),
    'that ask for 6.6 MB and read nothing': askForPage,
    'that ask for 6.6 MB, end their side and read nothing': () => {
      const asked = askForPage();
      asked.socket.end();
      return asked;
    },
  };

  it.each(Object.keys(KINDS))('%s use at most 50 MB, and health answers within 100 ms', async (kind) => {
    const before = await residentMb();
    const clients = Array.from({ length: CLIENTS }, KINDS[kind]!);
    const latencies: number[] = [];
    let most = before;
    const endsAt = performance.now() + WATCH_MS;
    while (performance.now() < endsAt) {
      await setTimeout(20);
      const startedAt = performance.now();
      const { body } = await request(`${gateway.url}/health/live`);
      await body.dump();
      latencies.push(performance.now() - startedAt);
      most = Math.max(most, await residentMb());
    }
    const open = await openSockets();
    for (const { socket } of clients) socket.destroy();
    await eventually('their sockets are closed', async () => expect(await openSockets()).toBeLessThan(5));
    process.stdout.write(`  figure: open sockets of sixty clients ${kind}, after 8 s: ${open}\n`);
    latencies.sort((one, other) => one - other);
    const health = latencies[Math.floor(latencies.length * 0.99)]!;
    expectAtMost({ name: `health beside sixty clients ${kind}, p99`, value: health, unit: 'ms', most: 100 });
    expectAtMost({ name: `memory of sixty clients ${kind}`, value: most - before, unit: 'MB', most: 50 });
    expect(await readPage()).toMatchObject({ statusCode: 200 });
  });
});
