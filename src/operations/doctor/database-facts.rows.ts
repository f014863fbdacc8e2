import { appliedNames, migrationsTable } from '../../core/database/migrations/applied-migrations';
import type { Client } from 'pg';

/** Facts about the server, the database and the role. */
export interface DatabaseFacts {
  version: string;
  version_number: number;
  read_only: boolean;
  may_create_schema: boolean;
  may_create_table: boolean;
  has_queue_schema: boolean;
  has_trigrams: boolean;
  offers_trigrams: boolean;
  connections_left: number;
}

/**
 * `connections_left` is the smallest number that server, database and role allow. The limit of a database or role is -1
 * if it has none. Every role can read `datid` and `usesysid`.
 */
const FACTS = `
  WITH role AS (SELECT * FROM pg_roles WHERE rolname = current_user),
    base AS (SELECT * FROM pg_database WHERE datname = current_database()),
    used AS (
      SELECT count(*) FILTER (WHERE datid IS NOT NULL) AS server,
        count(*) FILTER (WHERE datid = (SELECT oid FROM base)) AS base,
        count(*) FILTER (WHERE usesysid = (SELECT oid FROM role)) AS role
      FROM pg_stat_activity
    )
  SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
    current_setting('server_version_num')::int AS version_number,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
    has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create_table,
    to_regnamespace('bullmq') IS NOT NULL AS has_queue_schema,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') AS has_trigrams,
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') AS offers_trigrams,
    least(
      current_setting('max_connections')::int
        - CASE WHEN role.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int END - used.server,
      CASE WHEN base.datconnlimit < 0 OR role.rolsuper THEN NULL ELSE base.datconnlimit - used.base END,
      CASE WHEN role.rolconnlimit < 0 OR role.rolsuper THEN NULL ELSE role.rolconnlimit - used.role END
    )::int AS connections_left
  FROM role, base, used`;

export async function readFacts(client: Client): Promise<DatabaseFacts> {
  const { rows } = await client.query<DatabaseFacts>(FACTS);
  return rows[0]!;
}

/** The gateway's tables, which have the same owner as `migrations`, that the role cannot read and write. */
const CLOSED_TABLES = `
  SELECT relname AS name FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(current_schema())
    AND relowner = (SELECT relowner FROM pg_class WHERE oid = coalesce(to_regclass('applied_migrations'), to_regclass('migrations')))
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname`;

export async function closedTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(CLOSED_TABLES);
  return rows.map(({ name }) => name);
}

/** The names of the applied migrations; empty without a schema, undefined if they cannot be read. */
export async function appliedMigrations(client: Client): Promise<string[] | undefined> {
  const { name } = await migrationsTable(client);
  const { rows } = await client.query<{ exists: boolean; readable: boolean | null }>(
    `SELECT to_regclass($1) IS NOT NULL AS exists, has_table_privilege(to_regclass($1)::oid, 'SELECT') AS readable`,
    [name],
  );
  const { exists, readable } = rows[0]!;
  if (!exists) return [];
  return readable ? appliedNames(client) : undefined;
}
