import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrateDatabase } from '../../src/core/database/data-source';
import { EmbeddedPostgres } from '#embedded-postgres';
import { makePassableFolder } from '../support/passable-folder';
import { ChildServer } from './child-server';

export interface StageOptions {
  /** Where the servers leave a CPU profile each (`node --cpu-prof`). */
  profileDirectory?: string;
}

const QUIET = { info: () => undefined, warn: console.warn };

/** What a bench runs on: one throw-away PostgreSQL for all, durable as in production, and the servers. Nothing outlives it. */
export class Stage {
  private readonly servers: ChildServer[] = [];
  private closing?: Promise<void>;

  private constructor(
    /** Goes away with the stage. */
    readonly directory: string,
    private readonly postgres: EmbeddedPostgres,
    private readonly options: StageOptions,
  ) {}

  static async open(options: StageOptions = {}): Promise<Stage> {
    const directory = await makePassableFolder('bench-');
    try {
      const postgres = await EmbeddedPostgres.start({ dataDir: join(directory, 'data'), log: () => undefined });
      return new Stage(directory, postgres, options);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** A database of its own with the gateway's schema: the same tables and indexes cost both the same. @returns its URL */
  async database(name: string): Promise<string> {
    await withClient(this.postgres.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(this.postgres.url);
    url.pathname = `/${name}`;
    await migrateDatabase(url.href, QUIET);
    return url.href;
  }

  /** @param file the compiled file to run, which prints `API http://…/api/v1` when it listens */
  async server(name: string, file: string, environment: Record<string, string>): Promise<ChildServer> {
    const { profileDirectory } = this.options;
    const profile = profileDirectory
      ? ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`, `--cpu-prof-name=${name}.cpuprofile`]
      : [];
    const server = await ChildServer.start([...profile, file], environment);
    this.servers.push(server);
    return server;
  }

  close(): Promise<void> {
    this.closing ??= this.tearDown();
    return this.closing;
  }

  private async tearDown(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
