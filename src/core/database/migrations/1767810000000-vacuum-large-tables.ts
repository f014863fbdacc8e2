import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Large tables that are not partitioned: of a partitioned one, each partition has the settings. */
const TABLES = [
  'messages',
  'message_parts',
  'conversations',
  'conversation_terms',
  'message_attachments',
  'attachments',
];
const PARTITIONED = ['audit_log', 'events', 'webhook_deliveries', 'webhook_dispatches'];

/**
 * PostgreSQL cleans a table up once a fifth of it has changed, and looks at what was added once it is a fifth: of a hundred million rows
 * that is late and takes long. With these it does it often and briefly.
 */
const SHARES = {
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_vacuum_insert_scale_factor: 0.05,
  autovacuum_analyze_scale_factor: 0.02,
};

/** Large tables are vacuumed and analysed in small portions. */
export class VacuumLargeTables1767810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const settings = Object.entries(SHARES).map(([name, share]) => `${name} = ${share}`);
    await change(runner, `SET (${settings.join(', ')})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await change(runner, `RESET (${Object.keys(SHARES).join(', ')})`);
  }
}

async function change(runner: QueryRunner, clause: string): Promise<void> {
  const partitions = (await runner.query(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ANY ($1::regclass[])',
    [PARTITIONED],
  )) as { name: string }[];
  for (const name of [...TABLES, ...partitions.map((partition) => partition.name)])
    await runner.query(`ALTER TABLE ${name} ${clause}`);
}
