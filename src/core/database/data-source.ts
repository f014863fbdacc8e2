import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { ENTITIES } from './entities';
import { MIGRATIONS } from './migrations';

/** Any number: it only must not be used for another advisory lock in this database. */
const MIGRATION_LOCK = 7_246_001;

export interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

export function dataSourceOptions(url: string): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    applicationName: 'messaging-gateway',
    poolErrorHandler: () => undefined, // an idle connection died; the pool opens another when one is needed
    extra: {
      max: 20,
      connectionTimeoutMillis: 5_000,
      // A statement that outlives these is an outage: the request fails instead of hanging.
      statement_timeout: 15_000,
      query_timeout: 20_000,
      idle_in_transaction_session_timeout: 30_000,
    },
  };
}

/**
 * Opens the database and brings its schema up to date. Instances that start together migrate one after the other.
 * @throws when the database cannot be reached within `patienceMs`, or a migration fails
 */
export async function openDatabase(url: string, log: DatabaseLog, patienceMs = 30_000): Promise<DataSource> {
  const dataSource = await connect(url, log, Date.now() + patienceMs);
  try {
    await migrate(dataSource, log);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

async function connect(url: string, log: DatabaseLog, deadline: number): Promise<DataSource> {
  for (;;) {
    const dataSource = new DataSource(dataSourceOptions(url));
    try {
      return await dataSource.initialize();
    } catch (error) {
      const reason =
        error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
      if (Date.now() > deadline) throw new Error(`The database cannot be reached: ${reason}`, { cause: error });
      log.warn(`The database cannot be reached yet (${reason}); trying again`);
      await sleep(1_000);
    }
  }
}

async function migrate(dataSource: DataSource, log: DatabaseLog): Promise<void> {
  const lock = dataSource.createQueryRunner();
  await lock.connect();
  try {
    // Waiting for another instance's migration and migrating a large table may both take long.
    await lock.query('SET statement_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await dataSource.runMigrations();
    for (const migration of applied) log.info(`Migrated: ${migration.name}`);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.query('RESET statement_timeout').catch(() => undefined);
    await lock.release();
  }
}
