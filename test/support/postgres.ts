import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newUuid } from '#contracts';
import { afterSpec } from './cleanup';
import { makePassableFolder } from './passable-folder';
import { startPostgres, type PostgresServer } from './postgres-server';
import { copyTemplate, MIGRATED } from './postgres-template';
import { withClient } from './with-client';

export { withClient };

/** A throw-away PostgreSQL server that creates a new database for each caller. */
export class TestPostgres {
  private constructor(
    private server: PostgresServer,
    private readonly directory: string,
  ) {}

  static async start(): Promise<TestPostgres> {
    const directory = await makePassableFolder('gateway-test-postgres-', process.env['TEST_CLUSTERS_DIR']);
    try {
      await copyTemplate(directory);
      return new TestPostgres(await startPostgres(directory), directory);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** @returns the URL of a new database with the schema and no rows; a copy is faster than the migrations */
  createDatabase(): Promise<string> {
    return this.createFrom(MIGRATED);
  }

  /** @returns the URL of a new, empty database, for tests of the migrations */
  createEmptyDatabase(): Promise<string> {
    return this.createFrom('template1');
  }

  private async createFrom(template: string): Promise<string> {
    const name = `test_${newUuid().replaceAll('-', '')}`;
    await withClient(this.server.url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** An `InstalledPostgres` has another port after each restart. */
  get url(): string {
    return this.server.url;
  }

  /** An immediate shutdown, like a crash: the server writes no checkpoint, and recovers on its next start. */
  async crash(): Promise<void> {
    const pid = await this.pid();
    // A server that has ended has no pid file.
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    await this.server.stop();
  }

  /** Starts the server again on the same data. */
  async restart(): Promise<void> {
    this.server = await startPostgres(this.directory);
  }

  /** Every process of the server hangs: open connections stay, the kernel accepts new ones, and no query is answered. */
  async pause(): Promise<void> {
    await this.signalAll('SIGSTOP');
  }

  async resume(): Promise<void> {
    await this.signalAll('SIGCONT');
  }

  private async signalAll(signal: NodeJS.Signals): Promise<void> {
    const postmaster = (await this.pid())!;
    // The postmaster first: once it hangs, it starts no further process.
    process.kill(postmaster, signal);
    const children = execFileSync('pgrep', ['-P', String(postmaster)], { encoding: 'utf8' });
    for (const child of children.trim().split('\n')) {
      try {
        process.kill(Number(child), signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // a backend that ended meanwhile
      }
    }
  }

  private async pid(): Promise<number | undefined> {
    const text = await readFile(join(this.directory, 'postgres/postmaster.pid'), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : Number.parseInt(text, 10);
  }

  /** Breaks open connections: close pools first. */
  async stop(): Promise<void> {
    // A clean shutdown takes half a second to write data that is thrown away.
    await this.crash();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

let shared: Promise<TestPostgres> | undefined;

/** The server of this spec file: starts at the first call, stops after the last test. */
export function sharedPostgres(): Promise<TestPostgres> {
  shared ??= TestPostgres.start();
  return shared;
}

afterSpec('databases', async () => (await shared)?.stop());
