import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const DAY_MS = 86_400_000;
/** A partition holds four weeks, counted from 1970. */
const PERIOD_MS = 28 * DAY_MS;
/**
 * For so long all new rows go where the old ones are. The previous version claims dispatches by their place in the table, which
 * names one row only as long as a single partition has rows: so long it can serve beside this version, or come back.
 */
const SHARED_MS = 7 * DAY_MS;

const KEYS = { audit_log: 'id', events: 'id', webhook_deliveries: 'id', webhook_dispatches: 'event_id' };
const TRIGGERS = { inserted: 'INSERT ON audit_log REFERENCING NEW', deleted: 'DELETE ON audit_log REFERENCING OLD' };

/** How long statements wait behind the migration, in milliseconds, when it waits for a transaction that uses the table. */
const LOCK_MS = 100;
/** Then they go on for so long, in milliseconds. */
const PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

interface Definition {
  name: string;
  definition: string;
}

/**
 * The tables that grow with time are partitioned by the time in their ids. Each present table becomes the first partition, with
 * its rows and indexes, so that nothing is copied. That it can is checked before, while requests go on: the swap itself
 * takes milliseconds.
 */
export class PartitionByTime1767800000000 implements MigrationInterface {
  /** The check must not hold the locks of the swap. After a crash, the next run finds the tables that are done. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const until = new Date((Math.floor((Date.now() + SHARED_MS) / PERIOD_MS) + 1) * PERIOD_MS);
    for (const [table, key] of Object.entries(KEYS)) {
      if (await isPartitioned(runner, table)) continue;
      try {
        await checkIds(runner, table, key, until);
        await locked(runner, table, () => partition(runner, table, key, until));
      } catch (error) {
        // Without the swap the table gets ids that the check would refuse.
        await locked(runner, table, () => dropBound(runner, table)).catch(() => undefined);
        throw error;
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(KEYS)) {
      if (await isPartitioned(runner, table)) await locked(runner, table, () => join(runner, table));
    }
  }
}

/** The least UUIDv7 of a moment. */
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const suffixOf = (until: Date) => `until_${until.toISOString().slice(0, 10).replaceAll('-', '')}`;

async function isPartitioned(runner: QueryRunner, table: string): Promise<boolean> {
  const [found] = (await runner.query(`SELECT relkind = 'p' AS yes FROM pg_class WHERE oid = $1::regclass`, [
    table,
  ])) as { yes: boolean }[];
  return found!.yes;
}

/** Lets PostgreSQL know that all ids belong to the first partition. If some do not, it looks through the table at the swap. */
async function checkIds(runner: QueryRunner, table: string, key: string, until: Date): Promise<void> {
  const bound = `'${firstIdOf(until)}'`;
  await locked(runner, table, () => dropBound(runner, table));
  const odd = (await runner.query(`SELECT 1 FROM ${table} WHERE ${key} >= ${bound} LIMIT 1`)) as unknown[];
  if (odd.length > 0) return;
  await locked(runner, table, async () => {
    await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_bound CHECK (${key} < ${bound}) NOT VALID`);
  });
  await runner.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_bound`);
}

async function dropBound(runner: QueryRunner, table: string, present = table): Promise<void> {
  await runner.query(`ALTER TABLE ${present} DROP CONSTRAINT IF EXISTS ${table}_bound`);
}

/** Does work in a transaction that has the table for itself. It lets others through again and again until it gets the lock. */
async function locked(runner: QueryRunner, table: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await runner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      await work();
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

async function indexesOf(runner: QueryRunner, table: string): Promise<Definition[]> {
  return (await runner.query(
    `SELECT relname AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = $1::regclass AND NOT indisprimary ORDER BY 1`,
    [table],
  )) as Definition[];
}

async function primaryKeyOf(runner: QueryRunner, table: string): Promise<Definition> {
  const [key] = (await runner.query(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = $1::regclass AND contype = 'p'`,
    [table],
  )) as Definition[];
  return key!;
}

/** Gives a table's name, indexes and triggers to a new one. */
async function replace(runner: QueryRunner, table: string, suffix: string, clause: string): Promise<void> {
  const [indexes, key] = [await indexesOf(runner, table), await primaryKeyOf(runner, table)];
  if (table === 'audit_log')
    for (const name of Object.keys(TRIGGERS)) await runner.query(`DROP TRIGGER audit_log_${name} ON audit_log`);
  await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${key.name} TO ${key.name}_${suffix}`);
  for (const { name } of indexes) await runner.query(`ALTER INDEX ${name} RENAME TO ${name}_${suffix}`);
  await runner.query(`ALTER TABLE ${table} RENAME TO ${table}_${suffix}`);
  await runner.query(`CREATE TABLE ${table} (LIKE ${table}_${suffix} INCLUDING DEFAULTS INCLUDING STORAGE) ${clause}`);
  await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${key.name} ${key.definition}`);
  for (const { definition } of indexes) await runner.query(definition.replace(' ON ONLY ', ' ON '));
}

/** Once the rows are there: it counts what comes afterwards. */
async function addTriggers(runner: QueryRunner, table: string): Promise<void> {
  if (table !== 'audit_log') return;
  for (const [name, event] of Object.entries(TRIGGERS))
    await runner.query(`CREATE TRIGGER audit_log_${name} AFTER ${event} TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION count_audit_log()`);
}

async function partition(runner: QueryRunner, table: string, key: string, until: Date): Promise<void> {
  const [suffix, bound] = [suffixOf(until), `'${firstIdOf(until)}'`];
  await replace(runner, table, suffix, `PARTITION BY RANGE (${key})`);
  // It takes what no other partition takes, so that nothing is ever refused.
  await runner.query(`CREATE TABLE ${table}_other PARTITION OF ${table} DEFAULT`);
  await runner.query(`
    WITH odd AS (DELETE FROM ${table}_${suffix} WHERE ${key} >= ${bound} RETURNING *)
    INSERT INTO ${table}_other SELECT * FROM odd`);
  await runner.query(
    `ALTER TABLE ${table} ATTACH PARTITION ${table}_${suffix} FOR VALUES FROM (MINVALUE) TO (${bound})`,
  );
  await dropBound(runner, table, `${table}_${suffix}`);
  await addTriggers(runner, table);
}

/** Copies all rows into a plain table. */
async function join(runner: QueryRunner, table: string): Promise<void> {
  await replace(runner, table, 'parts', table === 'webhook_dispatches' ? 'WITH (fillfactor = 80)' : '');
  await runner.query(`INSERT INTO ${table} SELECT * FROM ${table}_parts`);
  await runner.query(`DROP TABLE ${table}_parts`);
  await addTriggers(runner, table);
}
