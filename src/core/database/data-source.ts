import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { lockForSession } from './advisory-locks';
import { MIGRATIONS } from './migrations';

/** The oldest `server_version_num` that is supported: PostgreSQL 15, which Debian 12 has. */
const OLDEST_VERSION = 150_000;

export interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** The entities come from the modules that own them (`TypeOrmModule.forFeature`). */
export function dataSourceOptions(url: string): PostgresOptions {
  return {
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    applicationName: 'messaging-gateway',
    poolErrorHandler: () => undefined, // an idle connection died; the pool opens another when one is needed
    extra: {
      max: 20,
      connectionTimeoutMillis: 5_000,
      // A slower statement is treated as an outage: the request fails instead of hanging. When the server itself hangs,
      // `Database` cuts the connection.
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 30_000,
      // A connection keeps its prepared statements, and composed statements have many texts. It holds no other state.
      maxLifetimeSeconds: 3_600,
    },
  };
}

/** No limits: another instance's migration or a large table may take long. */
function migrationOptions(url: string): PostgresOptions {
  // As text: pg does not send a number that is zero, and the role may have a limit of its own.
  const extra = { max: 2, connectionTimeoutMillis: 5_000, statement_timeout: '0' };
  return { ...dataSourceOptions(url), extra };
}

/**
 * Waits for the database and brings its schema up to date. Instances that start together migrate one after the other.
 * @throws when the database cannot be reached within `timeoutMs`, is older than PostgreSQL 15, or a migration fails
 */
export async function migrateDatabase(url: string, log: DatabaseLog, timeoutMs = 30_000): Promise<void> {
  await migrate(await connect(migrationOptions(url), log, timeoutMs), log);
}

async function connect(options: PostgresOptions, log: DatabaseLog, timeoutMs: number): Promise<DataSource> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const dataSource = new DataSource(options);
    try {
      return await dataSource.initialize();
    } catch (error) {
      const reason =
        error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
      if (performance.now() > deadline) throw new Error(`The database cannot be reached: ${reason}`, { cause: error });
      log.warn(`The database cannot be reached yet (${reason}); trying again`);
      await sleep(1_000);
    }
  }
}

async function assertSupported(runner: QueryRunner): Promise<void> {
  const [server] = (await runner.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  )) as { version: string; number: number }[];
  if (server!.number >= OLDEST_VERSION) return;
  throw new Error(
    `DATABASE_URL leads to PostgreSQL ${server!.version}, and 15 is the oldest version that is supported`,
  );
}

/** Closes the data source. */
async function migrate(dataSource: DataSource, log: DatabaseLog): Promise<void> {
  const lock = dataSource.createQueryRunner();
  try {
    await assertSupported(lock);
    await lockForSession(lock, 'migrations');
    const applied = await dataSource.runMigrations();
    if (applied.length === MIGRATIONS.length) log.info('The database is set up');
    else for (const { name } of applied) log.info(`Migrated: ${name}`);
  } finally {
    await lock.release();
    // Closing the connection releases the lock.
    await dataSource.destroy();
  }
}
