import type { Client } from 'pg';

/** Statements that the server ran for clients of this database; undefined without pg_stat_statements. */
export async function countedStatements(client: Client): Promise<number | undefined> {
  const { rows: extensions } = await client.query(`SELECT FROM pg_extension WHERE extname = 'pg_stat_statements'`);
  if (extensions.length === 0) return undefined;
  const { rows } = await client.query<{ calls: number }>(
    `SELECT sum(calls)::float8 AS calls FROM pg_stat_statements JOIN pg_database ON oid = dbid WHERE datname = current_database()`,
  );
  return rows[0]!.calls;
}
