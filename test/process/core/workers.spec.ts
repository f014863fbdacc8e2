import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { RESERVE } from '../../../src/core/http/hardening/connection-limits';
import { eventually } from '../../support/eventually';
import { GatewayProcess } from '../../support/process';
import { redisOnPath, startRedis, type TestRedis } from '../../support/redis';

const STREAMS = 10;
const REFUSALS = 60;
const CONNECTIONS = 200;
/** A new worker starts within this time on a busy machine. */
const RESTARTED = { timeoutMs: 60_000 };

/** The children that run the same program. */
async function workersOf({ child }: GatewayProcess): Promise<number[]> {
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  const pids = children.trim().split(' ').map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => lines[index]!.includes('main.js'));
}

(redisOnPath() ? describe : describe.skip)('a gateway with WORKERS=2', () => {
  let redis: TestRedis;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    redis = (await startRedis())!;
    gateway = await GatewayProcess.start({
      env: {
        WORKERS: '2',
        REDIS_URL: redis.url,
        BOOTSTRAP_API_KEY: undefined,
        MAX_CONNECTIONS_PER_ADDRESS: String(CONNECTIONS),
      },
    });
    key = (await readFile(join(gateway.dataDir, 'first-keys'), 'utf8')).split('\n')[0]!;
  });
  afterAll(async () => {
    await gateway.kill();
    await redis.stop();
  });

  let key = '';
  const api = <Data>(method: string, path: string, body?: unknown) => gateway.api<Data>(method, path, body, { key });
  const running = async () =>
    (await api<{ workers_running: number; uptime_seconds: number }>('GET', '/status')).body.data;
  /** Requests on connections of their own, so that both workers get some. */
  const fresh = async (path: string, headers: Record<string, string> = {}) => {
    const dispatcher = new Agent({ pipelining: 0 });
    const answer = await request(`${gateway.url}${path}`, { dispatcher, headers });
    return { answer, end: () => dispatcher.destroy() };
  };
  const counted = async (series: string) => {
    const { answer, end } = await fresh('/metrics');
    const text = await answer.body.text();
    await end();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const MESSAGES = 'gateway_http_requests_total{method="GET",route="/api/v1/messages",status="200"}';

  it('reports a missing REDIS_URL', async () => {
    const failed = await GatewayProcess.spawn({ env: { WORKERS: '2' } });
    expect((await failed.exited).code).toBe(1);
    expect(failed.output).toContain('WORKERS=2 needs REDIS_URL');
  });

  it('shows how many workers run, and adds up their metrics', async () => {
    expect((await running()).workers_running).toBe(2);
    for (let index = 0; index < 10; index += 1) {
      const { answer, end } = await fresh('/api/v1/messages', { authorization: `Bearer ${key}` });
      await answer.body.dump();
      await end();
    }
    expect(await counted(MESSAGES)).toBe(10);
  });

  it('limits the streams of a key over all workers', async () => {
    const streams = [];
    for (let index = 0; index < STREAMS + 4; index += 1)
      streams.push(await fresh('/api/v1/events/stream', { authorization: `Bearer ${key}` }));
    const words = streams.map(({ answer }) => answer.statusCode);
    expect(words.filter((status) => status === 200)).toHaveLength(STREAMS);
    expect(words.filter((status) => status === 429)).toHaveLength(4);
    await Promise.all(streams.map(({ end }) => end()));
  });

  it('counts refused requests of an address over all workers', async () => {
    for (let index = 0; index < REFUSALS; index += 1) {
      const { answer, end } = await fresh('/api/v1/messages', { authorization: 'Bearer service_sk_live_wrong' });
      expect(answer.statusCode).toBe(401);
      await answer.body.dump();
      await end();
    }
    const rows = await api<{ path: string }[]>('GET', '/admin/audit-log?status=401&per_page=100');
    expect(rows.body.data.length).toBeLessThanOrEqual(REFUSALS);
  });

  it('counts the connections of an address over all workers', async () => {
    const { port, hostname } = new URL(gateway.url);
    const sockets = Array.from({ length: CONNECTIONS + RESERVE + 10 }, () => connect(Number(port), hostname));
    let open = sockets.length;
    for (const socket of sockets)
      socket
        .on('error', () => undefined)
        .on('close', () => (open -= 1))
        .resume();
    // Other connections of this spec count too. Those in the reserve may only call /health, and close after a second.
    await eventually('those above the limit are closed', () => expect(open).toBeLessThanOrEqual(CONNECTIONS));
    expect(open).toBeGreaterThan(CONNECTIONS - 10);
    for (const socket of sockets) socket.destroy();
  });

  it('accepts the sign-in code of the first start once', async () => {
    const link = (await readFile(join(gateway.dataDir, 'first-keys'), 'utf8')).match(/#code=(\S+)/)![1]!;
    const exchange = () => gateway.api('POST', '/dashboard/exchange', { code: link }, { key: null });
    const statuses = (await Promise.all([exchange(), exchange(), exchange()])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(2);
  });

  it('replaces a dead worker without interruption, and keeps its counters', async () => {
    const before = await counted(MESSAGES);
    const [victim] = await workersOf(gateway);
    process.kill(victim!, 'SIGKILL');
    await eventually('it is gone', async () => expect(await workersOf(gateway)).not.toContain(victim));
    // The connection to the dead worker may fail once.
    await eventually('it serves', async () => expect((await api('GET', '/messages')).status).toBe(200));
    await eventually('two serve again', async () => expect((await running()).workers_running).toBe(2));
    expect((await workersOf(gateway)).includes(victim!)).toBe(false);
    expect(await counted(MESSAGES)).toBe(before + 1);
    expect((await running()).uptime_seconds).toBeGreaterThan(0);
  });

  it('gives the connections of a dead worker to another, and logs it', async () => {
    const sockets = async () => {
      const folder = `/proc/${gateway.child.pid}/fd`;
      const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ''));
      return (await Promise.all(links)).filter((link) => link.startsWith('socket:')).length;
    };
    const twoServe = async () => expect((await running()).workers_running).toBe(2);
    await eventually('two serve', twoServe, RESTARTED);
    const before = await sockets();
    const [victim] = await workersOf(gateway);
    process.kill(victim!, 'SIGSTOP');
    const asked = Array.from({ length: 8 }, async () => (await fresh('/health/live')).end());
    try {
      await eventually('one of them waits for the stopped worker', async () =>
        expect(await sockets()).toBe(before + 1),
      );
    } finally {
      process.kill(victim!, 'SIGKILL');
      await Promise.all(asked);
    }
    await eventually('two serve again', twoServe, RESTARTED);
    await eventually('the primary has closed it', async () => expect(await sockets()).toBe(before));
    expect(gateway.output).toContain(`"pid":${victim},"code":null,"signal":"SIGKILL"`);
  });

  it('stops all workers, and resets no connection of reconnecting clients', async () => {
    const untilItFails = async (): Promise<unknown> => {
      try {
        for (;;) await (await fresh('/health/live')).end();
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    const clients = Array.from({ length: 8 }, untilItFails);
    gateway.child.kill('SIGTERM');
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']));
    expect((await gateway.exited).code).toBe(0);
    gateway = await gateway.restart();
  });

  it('stops all workers after they answered their requests', async () => {
    const answers = Array.from({ length: 20 }, () => api('GET', '/messages').then(({ status }) => status));
    await sleep(5);
    gateway.child.kill('SIGTERM');
    expect((await gateway.exited).code).toBe(0);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  });
});
