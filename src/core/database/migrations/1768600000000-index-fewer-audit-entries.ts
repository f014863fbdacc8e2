import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

const INDEXES = [
  { name: 'audit_log_method', columns: 'environment, method, created_at, id', rare: `WHERE method <> 'POST'` },
  {
    name: 'audit_log_route',
    columns: 'environment, route, created_at, id',
    rare: `WHERE route <> '/api/v1/messages/send'`,
  },
];

/**
 * Most entries are of sends: the indexes by method and route hold only the other entries, as the index by status does. A list of the
 * entries that are left out reads whole hours. While the indexes are made, new entries wait in memory to be written.
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
  await withBriefLock(runner, `DROP INDEX IF EXISTS ${name}`, `ALTER INDEX ${name}_new RENAME TO ${name}`);
}
