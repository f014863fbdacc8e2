import { withClient } from '../stage';

export interface TableSize {
  name: string;
  bytes: number;
}

/** Size of each table with its indexes and partitions, largest first. */
const SIZES = `
  SELECT coalesce(inhparent::regclass::text, relname) AS name, sum(pg_total_relation_size(oid))::float8 AS bytes
  FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 2 DESC`;

export function sizesOf(databaseUrl: string): Promise<TableSize[]> {
  return withClient(databaseUrl, async (client) => (await client.query<TableSize>(SIZES)).rows);
}
