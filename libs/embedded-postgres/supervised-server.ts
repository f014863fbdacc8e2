import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process';
import { awaitPreviousServer } from './previous-server';
import { startServer, stopServer, type ServerOptions } from './server';

/** The pause before the first restart, in milliseconds; it doubles with each further attempt. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** After a server has run for this long, in milliseconds, the pauses begin with the first again. */
const STEADY_MS = 60_000;

/** Log what an operator should know. */
export interface ServerReports {
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** A server that restarts, at the same address, whenever it ends without a stop. */
export class SupervisedServer {
  private readonly over = new AbortController();
  private readonly kept: Promise<void>;
  private delayMs = FIRST_DELAY_MS;

  private constructor(
    private server: GuardedProcess,
    private readonly options: ServerOptions,
    private readonly reports: ServerReports,
  ) {
    this.kept = this.keep();
  }

  /** Settles as `startServer` does: a server that ends during its first start is not started again. */
  static async start(options: ServerOptions, reports: ServerReports): Promise<SupervisedServer> {
    return new SupervisedServer(await startServer(options), options, reports);
  }

  async stop(): Promise<void> {
    this.over.abort();
    await stopServer(this.server);
    await this.kept;
  }

  private async keep(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      const status = await this.server.exited;
      if (this.over.signal.aborted) return;
      if (performance.now() - startedAt > STEADY_MS) this.delayMs = FIRST_DELAY_MS;
      this.reports.warn(
        `The embedded PostgreSQL stopped (${status.signal ?? `exit code ${status.code}`}); restarting it`,
      );
      while (!(await this.startAgain())) if (this.over.signal.aborted) return;
    }
  }

  private async startAgain(): Promise<boolean> {
    const { signal } = this.over;
    try {
      await delay(this.delayMs, undefined, { signal });
      this.delayMs = Math.min(this.delayMs * 2, LONGEST_DELAY_MS);
      // Processes of a server that was killed may outlive it for a moment.
      await awaitPreviousServer(this.options.places, this.reports.log, signal);
      this.server = await startServer({ ...this.options, signal });
    } catch (error) {
      if (!signal.aborted) {
        const { message } = error as Error;
        this.reports.warn(`${message}; retrying in ${this.delayMs / 1000} s`);
      }
      return false;
    }
    // `stop` ran meanwhile, and ended only the previous server.
    if (signal.aborted) await stopServer(this.server);
    else this.reports.log('The embedded PostgreSQL is running again');
    return true;
  }
}
