import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long statements wait behind the migration, in milliseconds, when it waits for a transaction that uses the table. */
const LOCK_MS = 100;
/** Then they go on for so long, in milliseconds. */
const PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

const INDEXES = [
  { name: 'audit_log_method', columns: 'environment, method, created_at, id', rare: `WHERE method <> 'POST'` },
  {
    name: 'audit_log_route',
    columns: 'environment, route, created_at, id',
    rare: `WHERE route <> '/api/v1/messages/send'`,
  },
];

/**
 * Most entries are of sends: the indexes by method and route hold the others, as that by status does. A list of those that they leave
 * out reads the entries of an hour that has some. While the indexes are made, entries wait in memory to be written.
 */
export class IndexFewerAuditEntries1768600000000 implements MigrationInterface {
  /** The last step must not wait with the locks of the first. After a crash, the next run goes on. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const { name, columns, rare } of INDEXES) await replace(runner, name, `(${columns}) ${rare}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name, columns } of INDEXES) await replace(runner, name, `(${columns})`);
  }
}

async function replace(runner: QueryRunner, name: string, definition: string): Promise<void> {
  await runner.query(`CREATE INDEX IF NOT EXISTS ${name}_new ON audit_log ${definition}`);
  for (;;) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await runner.query(`DROP INDEX IF EXISTS ${name}`);
      await runner.query(`ALTER INDEX ${name}_new RENAME TO ${name}`);
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
