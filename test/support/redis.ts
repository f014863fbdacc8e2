import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { lastingPort } from './lasting-port';

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
 * @param more settings of the command line
 * @returns undefined without a redis-server on PATH
 * @throws with what the server said, when it ends instead of answering
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
  // A port that another process has taken meanwhile would be asked for ever.
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

/** @param ended rejects when no more answer can come */
async function answers(url: string, ended: Promise<never>): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  redis.on('error', () => undefined); // not listening yet
  try {
    await Promise.race([redis.ping(), ended]);
  } finally {
    redis.disconnect();
  }
}
