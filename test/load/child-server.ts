import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;

/** The URL that a server prints when it listens, in plain text or in the gateway's JSON log. */
const LISTENS = /\bAPI\s+(http:\S+?)\/api\/v1\b/;
/** An error line in the gateway's log. */
const ERROR = /"level":"error"/;
/** Characters of an error line to print. */
const SHOWN = 600;

/** A server as a child process, so that it shares neither event loop nor heap with the load generator. */
export class ChildServer {
  private constructor(
    private readonly process: ChildProcess,
    /** e.g. `http://127.0.0.1:3000` */
    readonly origin: string,
  ) {}

  /**
   * @param args Node's options, then the file to run, which prints `API http://…/api/v1` when it listens
   * @param command Node by default; @param cwd the bench's by default
   * @throws if the server ends, or does not listen within 30 s
   */
  static async start(
    args: readonly string[],
    environment: Record<string, string>,
    { command = process.execPath, cwd }: { command?: string; cwd?: string } = {},
  ): Promise<ChildServer> {
    const child = spawn(command, args, {
      cwd,
      // npm_lifecycle_event: makes the gateway end with its parent, even if the parent is killed.
      env: { PATH: process.env['PATH'], npm_lifecycle_event: 'bench', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Ctrl-C reaches only the bench, which then stops its servers in order.
      detached: true,
    });
    try {
      return new ChildServer(child, await announced(child));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    const exit = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exit;
    clearTimeout(timer);
  }
}

async function announced(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  const output = createInterface({ input: child.stdout! });
  const listens = new Promise<string>((resolve) => {
    // Keeps reading after that: a full pipe would block the child.
    output.on('line', (line) => {
      if (ERROR.test(line)) console.log(`  server: ${line.slice(0, SHOWN)}`);
      lines.push(line);
      const [, url] = LISTENS.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
  const ended = Promise.race([once(child, 'exit'), once(timeout, 'abort')]).then((): never => {
    throw new Error(`A server did not start:\n${lines.join('\n')}`);
  });
  return Promise.race([listens, ended]);
}
