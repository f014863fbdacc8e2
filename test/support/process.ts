import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey } from '../../src/api-keys/key-format';
import { callApi, type ApiAnswer, type ApiCall } from './api';
import { afterSpec } from './cleanup';
import { eventually } from './eventually';
import { processEnvironment, ROOT, type FakesOfGateway } from './environment';
import { makePassableFolder } from './passable-folder';

/** Started within this, on a busy machine, built before by `npm start` if need be; in milliseconds. */
const READY_MS = 60_000;

export interface GatewayProcessOptions extends FakesOfGateway {
  /** On top of what the test gateway sets; `undefined` unsets. */
  env?: NodeJS.ProcessEnv;
  /** A fresh directory by default. A process started again on the same one finds what the first left. */
  dataDir?: string;
  /** The key that exists after the start; a fresh one by default. */
  key?: string;
  /** Started by `npm start`, as operators do. */
  npm?: boolean;
  /** The folder of the build to start; this tree's by default. */
  root?: string;
  /** The command line to spawn instead of this one. */
  wrap?: (words: readonly string[]) => readonly string[];
}

/** The built gateway as a process of its own, to be killed. Only in specs of a Jest project that builds it first. */
export class GatewayProcess {
  output = '';
  /** How long it took from the start of the process until it was ready, in milliseconds. */
  readyMs = 0;
  url = '';
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
    readonly key: string,
    private readonly options: GatewayProcessOptions,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.exited = once(child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  /** Starts a process and waits until it serves. Rejects with its output when it ends instead. */
  static async start(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.spawn(options);
    await gateway.ready();
    return gateway;
  }

  /** Starts a process without waiting for anything. */
  static async spawn(options: GatewayProcessOptions): Promise<GatewayProcess> {
    const dataDir = options.dataDir ?? (await makePassableFolder('gateway-test-process-'));
    const key = options.key ?? generateKey('live');
    const env = {
      ...processEnvironment(options),
      DATA_DIR: dataDir,
      BOOTSTRAP_API_KEY: key,
      ...options.env,
    };
    const words = options.npm ? ['npm', 'start'] : ['node', builtIn(options.root)];
    const [command = '', ...args] = options.wrap?.(words) ?? words;
    const child = spawn(command, args, { cwd: options.root ?? ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const gateway = new GatewayProcess(child, dataDir, key, options);
    started.add(gateway);
    return gateway;
  }

  /** The same again, on the same data directory with the same key. */
  restart(): Promise<GatewayProcess> {
    return GatewayProcess.start({ ...this.options, dataDir: this.dataDir, key: this.key });
  }

  api<Data = unknown>(method: string, path: string, body?: unknown, call: ApiCall = {}): Promise<ApiAnswer<Data>> {
    return callApi<Data>(this.url, method, path, body, { key: this.key, ...call });
  }

  /** Kills it as a crash would: none of its code runs afterwards. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** The process of the embedded PostgreSQL, undefined when none runs. */
  async postgresPid(): Promise<number | undefined> {
    const text = await readFile(join(this.dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return isAlive(pid) ? pid : undefined;
  }

  private async ready(): Promise<void> {
    const startedAt = performance.now();
    await eventually(
      'the gateway is ready',
      () => {
        const url = /API\s+(http:\S+)\/api\/v1/.exec(this.output)?.[1];
        if (!url && this.child.exitCode === null) throw new Error(`not ready yet:\n${this.output}`);
        this.url = url ?? '';
      },
      { timeoutMs: READY_MS, everyMs: 5 },
    );
    this.readyMs = Math.round(performance.now() - startedAt);
    if (!this.url) throw new Error(`The gateway did not start:\n${this.output}`);
  }
}

const started = new Set<GatewayProcess>();
/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

afterSpec('gateways', async () => {
  await Promise.all([...started].map((gateway) => gateway.kill()));
  for (const gateway of started) {
    await eventually(
      'the database has ended with its gateway',
      async () => {
        if (await gateway.postgresPid()) throw new Error('it still runs');
      },
      { timeoutMs: 30_000 },
    );
    await rm(gateway.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  started.clear();
});

/** The start script of a build: the previous version may have no bundle. */
function builtIn(folder = ROOT): string {
  const bundle = 'dist/bundle/main.js';
  return folder === ROOT || existsSync(join(folder, bundle)) ? bundle : 'dist/src/main.js';
}
