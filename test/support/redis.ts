import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Kills it; its data is gone. */
  stop(): Promise<void>;
  /** The server hangs: connections stay, nothing is answered. */
  pause(): void;
  resume(): void;
}

let found: boolean | undefined;

/**
 * Whether there is a redis-server on PATH. If not, says once that the Redis tests are left out.
 * @throws where `CI` is set: there they must run
 */
export function redisOnPath(): boolean {
  if (found !== undefined) return found;
  found = spawnSync('redis-server', ['--version']).status === 0;
  if (!found && process.env['CI']) throw new Error('No redis-server on PATH: the Redis tests cannot run');
  if (!found) process.stderr.write('\n*** No redis-server on PATH: the Redis tests are SKIPPED ***\n\n');
  return found;
}

/**
 * A throw-away redis-server on 127.0.0.1, nothing on disk.
 * @param port default: a free one
 * @returns undefined without a redis-server on PATH
 */
export async function startRedis(port?: number): Promise<TestRedis | undefined> {
  if (!redisOnPath()) return undefined;
  const listenPort = port ?? (await freePort());
  const settings = ['--port', String(listenPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `redis://127.0.0.1:${listenPort}`;
  const exited = once(server, 'exit');
  await answers(url);
  return {
    url,
    port: listenPort,
    stop: async () => {
      process.removeListener('exit', kill);
      kill();
      await exited;
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => undefined); // not listening yet
  await redis.ping();
  redis.disconnect();
}
