import type { QueryRunner } from 'typeorm';

/**
 * Builds a unique index while requests go on, for a migration with `transaction = false`; inside a transaction (a restore) it
 * builds the index at once. An index that a killed build left is built again.
 * @param definition what follows `ON`: the table, its columns, and the condition
 */
export async function buildUniqueIndex(runner: QueryRunner, name: string, definition: string): Promise<void> {
  if (runner.isTransactionActive) {
    await runner.query(`CREATE UNIQUE INDEX ${name} ON ${definition}`);
    return;
  }
  if (await isValid(runner, name)) return;
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await runner.query(`CREATE UNIQUE INDEX CONCURRENTLY ${name} ON ${definition}`);
}

async function isValid(runner: QueryRunner, name: string): Promise<boolean> {
  const rows = (await runner.query('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
    name,
  ])) as { valid: boolean }[];
  return rows[0]?.valid === true;
}
