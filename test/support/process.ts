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

/** How long a start may take on a busy machine, in milliseconds, with the build that `npm start` may run first. */
const READY_MS = 60_000;

export interface GatewayProcessOptions extends FakesOfGateway {
  /** Added to the variables of the test gateway; `undefined` removes one. */
  env?: NodeJS.ProcessEnv;
  /** A fresh directory by default. A second process on the same directory finds the data of the first. */
  dataDir?: string;
  /** BOOTSTRAP_API_KEY; a new key by default. */
  key?: string;
  /** Start by `npm start`, as operators do. */
  npm?: boolean;
  /** The root of the build to start; this repository by default. */
  root?: string;
  /** Gets the command line and returns the one to spawn instead. */
  wrap?: (words: readonly string[]) => readonly string[];
}

/** The built gateway as a separate process that a test can kill. Only for specs of a Jest project that builds it first. */
export class GatewayProcess {
  output = '';
  /** Milliseconds from the start of the process until it was ready. */
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

  /** Starts a process and waits until it serves. Rejects with its output if it ends first. */
  static async start(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.spawn(options);
    await gateway.ready();
    return gateway;
  }

  /** Starts a process and does not wait for it. */
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

  /** Starts another process on the same data directory with the same key and options. */
  restart(): Promise<GatewayProcess> {
    return GatewayProcess.start({ ...this.options, dataDir: this.dataDir, key: this.key });
  }

  api<Data = unknown>(method: string, path: string, body?: unknown, call: ApiCall = {}): Promise<ApiAnswer<Data>> {
    return callApi<Data>(this.url, method, path, body, { key: this.key, ...call });
  }

  /** Kills the process as a crash would: it runs no shutdown code. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** The process id of the embedded PostgreSQL; undefined when none runs. */
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

/** The start script of a build. Older versions have no bundle. */
function builtIn(folder = ROOT): string {
  const bundle = 'dist/bundle/main.js';
  return folder === ROOT || existsSync(join(folder, bundle)) ? bundle : 'dist/src/main.js';
}
