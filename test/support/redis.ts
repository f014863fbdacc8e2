import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { lastingPort } from './lasting-port';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Kills the server. Its data is lost. */
  stop(): Promise<void>;
  /** The server hangs: connections stay open, and no command is answered. */
  pause(): void;
  resume(): void;
}

let found: boolean | undefined;

/**
 * Whether redis-server is on PATH. If not, prints once that the Redis tests are skipped.
 * @throws in CI, where these tests must run
 */
export function redisOnPath(): boolean {
  if (found !== undefined) return found;
  found = spawnSync('redis-server', ['--version']).status === 0;
  if (!found && process.env['CI']) throw new Error('No redis-server on PATH: the Redis tests cannot run');
  if (!found) process.stderr.write('\n*** No redis-server on PATH: the Redis tests are SKIPPED ***\n\n');
  return found;
}

/**
 * A throw-away redis-server on 127.0.0.1 that writes nothing to disk.
 * @param port by default a free port
 * @param more further command-line settings
 * @returns undefined without a redis-server on PATH
 * @throws with the server's output, if it ends before it answers
 */
export async function startRedis(port?: number, more: readonly string[] = []): Promise<TestRedis | undefined> {
  if (!redisOnPath()) return undefined;
  const listenPort = port ?? (await lastingPort());
  const settings = ['--port', String(listenPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...more];
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  server.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `redis://127.0.0.1:${listenPort}`;
  const exited = once(server, 'exit');
  // If another process has taken the port, the ping below would otherwise wait forever.
  const ended = exited.then((): never => {
    throw new Error(`redis-server ended before it answered at ${url}:\n${output}`);
  });
  await answers(url, ended);
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

/** Resolves when the server answers a ping. @param ended rejects when the server has ended */
async function answers(url: string, ended: Promise<never>): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => undefined); // not listening yet
  try {
    await Promise.race([redis.ping(), ended]);
  } finally {
    redis.disconnect();
  }
}
