import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { Client, DatabaseError } from 'pg';
import { DataSource, MigrationExecutor, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { lockForSession } from './advisory-locks';
import { DIRECT_CONNECTION } from './connections/direct-connection';
import { PgDriver } from './connections/gateway-pool';
import { appliedNames, migrationsTable } from './migrations/applied-migrations';
import { FINISHING, MIGRATIONS } from './migrations';

/** The oldest `server_version_num` that is supported: PostgreSQL 15, which Debian 12 has. */
export const OLDEST_VERSION = 150_000;

export interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

export function databaseLog(logger: Pick<LoggerService, 'log' | 'warn'>): DatabaseLog {
  return {
    info: (line) => void logger.log(line, 'Database'),
    warn: (line) => void logger.warn(line, 'Database'),
  };
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/**
 * Limits that the server enforces. PgBouncer refuses a connection that asks for them: behind a pooler its administrator sets them
 * (docs/databases.md).
 */
const SESSION_SETTINGS = {
  // A slower statement is treated as an outage: the request fails instead of hanging. When the server itself hangs,
  // `Database` cuts the connection.
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 30_000,
  // Statements take milliseconds. On large tables PostgreSQL expects them to be long and compiles them first: a list of ten
  // million messages took 20 to 60 ms with JIT, and 3 without.
  options: '-c jit=off',
};

/** Connections of an instance's pool, divided among its workers. */
const CONNECTIONS = 20;
const LEAST_CONNECTIONS = 3;

/**
 * The entities come from the modules that own them (`TypeOrmModule.forFeature`).
 * @param hasPooler whether `url` leads to a pooler in transaction mode
 * @param workers how many processes divide the connections among them
 */
export function dataSourceOptions(url: string, { hasPooler = false, workers = 1 } = {}): PostgresOptions {
  return {
    type: 'postgres',
    driver: new PgDriver(),
    url,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    applicationName: 'messaging-gateway',
    poolErrorHandler: () => undefined, // an idle connection died; the pool opens another when one is needed
    extra: {
      max: Math.max(LEAST_CONNECTIONS, Math.floor(CONNECTIONS / workers)),
      connectionTimeoutMillis: 5_000,
      // Periodic jobs use several at once, every ten seconds: opening them each time costs more than all their statements.
      idleTimeoutMillis: 60_000,
      ...(hasPooler ? {} : SESSION_SETTINGS),
      // Frees the prepared statements: composed statements have many texts. A connection holds no other state.
      maxLifetimeSeconds: 3_600,
    },
  };
}

/** No limits: another instance's migration or a large table may take long. */
function migrationOptions(url: string): PostgresOptions {
  // As text: pg omits the number zero, and then the role's own limit would apply.
  const extra = { max: 2, connectionTimeoutMillis: 5_000, statement_timeout: '0' };
  return { ...dataSourceOptions(url), extra };
}

/**
 * Waits for the database and brings its schema up to date. Instances that start together migrate one after the other.
 * @returns how many migrations were applied
 * @throws when the database cannot be reached within `timeoutMs`, is older than PostgreSQL 15, or a migration fails
 */
export async function migrateDatabase(url: string, log: DatabaseLog, timeoutMs = 30_000): Promise<number> {
  return migrate(await connect(migrationOptions(url), log, timeoutMs), log);
}

/** PgBouncer's error for a client that sets limits. */
export const REFUSED_BY_POOLER = 'unsupported startup parameter';
const POOLER_ADVICE =
  'The database is behind a pooler: set DATABASE_DIRECT_URL to the server itself, which LISTEN, locks and migrations need';

/**
 * Finishes a migrated schema: a platform may have several accounts from then on, and older versions can no longer use the database.
 * @returns false if it is finished already
 */
export async function finishSchema(url: string, log: DatabaseLog, timeoutMs = 30_000): Promise<boolean> {
  const dataSource = await connect(migrationOptions(url), log, timeoutMs);
  const runner = dataSource.createQueryRunner();
  try {
    await lockForSession(runner, 'migrations');
    if ((await migrationsTable(runner)).isFinished) return false;
    await new FINISHING().up(runner);
    log.info('The schema is finished: older versions can no longer use this database');
    return true;
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** How many migrations of this version the database lacks: all of them when it is empty. @throws when it cannot be reached */
export async function pendingMigrations(url: string): Promise<number> {
  const client = new Client({ ...DIRECT_CONNECTION, connectionString: url });
  client.on('error', () => undefined); // the statement under way fails as well
  try {
    await client.connect();
    const applied = new Set(await appliedNames(client));
    return MIGRATIONS.filter((migration) => !applied.has(migration.name)).length;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Steps before and after migrations, in their transaction. */
interface FillSchema {
  /** Before the first migration. */
  check: (client: Client) => Promise<void>;
  /** While the schema is that of the named migrations. */
  fill: (client: Client) => Promise<void>;
  /** After the last migration. */
  finish: (client: Client) => Promise<void>;
}

/**
 * Applies the named migrations, fills their schema, then applies the others: all in one transaction, so that the database
 * stays empty if a step fails.
 * @param names of the migrations that come first
 * @throws when this version does not know one of them
 */
export async function migrateAround(
  url: string,
  names: readonly string[],
  log: DatabaseLog,
  { check, fill, finish }: FillSchema,
): Promise<void> {
  const dataSource = await connect(migrationOptions(url), log, 0);
  const runner = dataSource.createQueryRunner();
  try {
    await assertSupported(runner);
    const client = (await runner.connect()) as Client;
    await client.query('SET idle_in_transaction_session_timeout = 0');
    await lockForSession(runner, 'migrations');
    const known = new Set([...MIGRATIONS, FINISHING].map(({ name }) => name));
    const newer = names.find((name) => !known.has(name));
    if (newer !== undefined)
      throw new Error(`A newer version migrated it: this version does not know the migration ${newer}`);
    await runner.startTransaction();
    await check(client);
    await run(dataSource, runner, (name) => names.includes(name));
    // Only a finished schema takes the rows of several accounts.
    if (names.includes(FINISHING.name)) await new FINISHING().up(runner);
    await fill(client);
    await run(dataSource, runner, () => true);
    await finish(client);
    await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/** Applies, in the runner's transaction, the migrations that are not applied yet and are wanted. */
async function run(dataSource: DataSource, runner: QueryRunner, isWanted: (name: string) => boolean): Promise<void> {
  dataSource.setOptions({ migrationsTableName: (await migrationsTable(runner)).name });
  const executor = new MigrationExecutor(dataSource, runner);
  for (const migration of await executor.getPendingMigrations())
    if (isWanted(migration.name)) await executor.executeMigration(migration);
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
      if (reason.startsWith(REFUSED_BY_POOLER)) throw new Error(POOLER_ADVICE, { cause: error });
      // A further attempt would be refused as well: a wrong password, role or database.
      if (error instanceof DatabaseError && !PASSES.test(error.code ?? ''))
        throw new Error(`The database refused the connection: ${reason}`, { cause: error });
      if (performance.now() > deadline) throw new Error(`The database cannot be reached: ${reason}`, { cause: error });
      log.warn(`The database cannot be reached yet (${reason}); retrying`);
      await sleep(1_000);
    }
  }
}

/** SQLSTATE of temporary failures: a server that starts or stops (57P), or has no connection left (53), and a pooler without one (08). */
const PASSES = /^(57P|53|08)/;

async function assertSupported(runner: QueryRunner): Promise<void> {
  const [server] = (await runner.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  )) as { version: string; number: number }[];
  if (server!.number >= OLDEST_VERSION) return;
  throw new Error(`DATABASE_URL points to PostgreSQL ${server!.version}; version 15 or newer is required`);
}

/** Closes the data source. */
async function migrate(dataSource: DataSource, log: DatabaseLog): Promise<number> {
  const lock = dataSource.createQueryRunner();
  try {
    await assertSupported(lock);
    await lockForSession(lock, 'migrations');
    dataSource.setOptions({ migrationsTableName: (await migrationsTable(lock)).name });
    const applied = await dataSource.runMigrations();
    if (applied.length === MIGRATIONS.length) log.info('The database is set up');
    else for (const { name } of applied) log.info(`Migrated: ${name}`);
    return applied.length;
  } finally {
    await lock.release();
    // Closing the connection releases the lock.
    await dataSource.destroy();
  }
}
