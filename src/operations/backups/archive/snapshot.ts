import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import {
  HOLD_REFERENCED,
  NEXT_REFERENCED,
  REFERENCED_BYTES,
  RELEASE_REFERENCED,
  type StoredFile,
} from '../../../media/storage/stored-files.rows';
import { appliedNames } from '../../../core/database/migrations/applied-migrations';
import type { TableColumns } from './manifest';
import { inOrderOfReferences, type Reference } from './references';

/** Tables that are not in a backup: triggers or migrations fill them again during a restore. */
const REBUILT = new Set([
  'applied_migrations',
  'audit_log_count_changes',
  'audit_log_counts',
  'conversation_counts',
  'conversation_count_changes',
  'conversation_terms',
  'failed_messages',
  'migrations',
]);

/** Conditions that leave out rows without meaning after a restore. */
const FILTERS: Readonly<Record<string, string>> = {
  // A restore would show the backup that is being made as running.
  backups: `status <> 'running'`,
};

const COLUMNS = `
  SELECT table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(quote_ident(table_name)))
  GROUP BY table_name ORDER BY table_name`;

/** Size on disk in bytes, known without reading the table. A partitioned table has the sum of its partitions. */
const SIZES = `
  SELECT name, pg_table_size(quote_ident(name)::regclass)::float8
    + (SELECT coalesce(sum(pg_table_size(inhrelid)), 0) FROM pg_inherits WHERE inhparent = quote_ident(name)::regclass)::float8 AS size
  FROM unnest($1::text[]) name`;

/**
 * The primary keys of partitioned tables, to sort their rows: stored order depends on the partitions, and the restored
 * database may have other partitions.
 */
const ORDERS = `
  SELECT relname AS name, array_agg(attname::text ORDER BY array_position(indkey::int2[], attnum)) AS columns
  FROM pg_class JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = ANY (indkey)
  WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace GROUP BY relname`;

const FINGERPRINTS = `
  SELECT regexp_replace(name, ' fingerprint$', '') AS name, value FROM deployment WHERE name LIKE '% fingerprint'`;

const REFERENCES = `
  SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
  WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`;

/** A database at one moment. Only schema changes wait for its locks. */
export class Snapshot {
  private constructor(
    private readonly client: Client,
    /** Sort columns, by table. */
    private readonly orders: ReadonlyMap<string, readonly string[]>,
    /** In the order of their references. */
    readonly tables: readonly TableColumns[],
    /** Size of each table on disk, in bytes. */
    readonly sizes: ReadonlyMap<string, number>,
    /** The migrations that were applied, in order. */
    readonly schema: readonly string[],
    /** Fingerprints of the secrets that protect the rows, by the secret's name. */
    readonly fingerprints: Readonly<Record<string, string>>,
  ) {}

  /** @param client a direct connection for this snapshot alone: its transaction lasts until all tables are copied */
  static async open(client: Client): Promise<Snapshot> {
    await client.query(`SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; ${IN_ORDER}`);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: tables } = await client.query<TableColumns>(COLUMNS);
    const { rows: orders } = await client.query<TableColumns>(ORDERS);
    const { rows: references } = await client.query<Reference>(REFERENCES);
    const schema = await appliedNames(client);
    const { rows: secrets } = await client.query<{ name: string; value: string }>(FINGERPRINTS);
    const kept = tables.filter(({ name }) => !REBUILT.has(name));
    const { rows: sizes } = await client.query<{ name: string; size: number }>(SIZES, [kept.map(({ name }) => name)]);
    return new Snapshot(
      client,
      new Map(orders.map((order) => [order.name, order.columns])),
      inOrderOfReferences(kept, references),
      new Map(sizes.map(({ name, size }) => [name, size])),
      schema,
      Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
    );
  }

  /** @returns the rows in PostgreSQL's text format, their number (once the stream has ended), and their sort columns */
  copy({ name, columns }: TableColumns): { stream: Readable; rows: () => number; order?: readonly string[] } {
    const order = this.orders.get(name);
    const query = copyTo(copyOut(name, columns, { filter: FILTERS[name], order }), { highWaterMark: 1 << 20 });
    return { stream: this.client.query(query), rows: () => query.rowCount, order };
  }

  /** Keeps the list of the files of messages for `files`. @returns their total size in bytes */
  async holdFiles(): Promise<number> {
    await this.client.query(HOLD_REFERENCED);
    return (await this.client.query<{ bytes: number }>(REFERENCED_BYTES)).rows[0]!.bytes;
  }

  /** The files of messages in the snapshot. Call `holdFiles` before; works after `close`. */
  async *files(): AsyncGenerator<StoredFile> {
    for (;;) {
      const { rows } = await this.client.query<StoredFile>(NEXT_REFERENCED);
      if (rows.length === 0) break;
      yield* rows;
    }
    await this.client.query(RELEASE_REFERENCED);
  }

  /** Ends the transaction, because an old snapshot keeps VACUUM from removing dead rows. */
  async close(): Promise<void> {
    await this.client.query('COMMIT');
  }
}

/** A table with its columns, as COPY names it. */
export function copySource(table: string, columns: readonly string[]): string {
  return `${quote(table)} (${columns.map(quote).join(', ')})`;
}

export interface CopyOptions {
  filter?: string;
  /** Sort columns; undefined for stored order. */
  order?: readonly string[];
}

/** Reads a table, partitioned or not. Run `IN_ORDER` before: a parallel read returns rows in any order. */
export function copyOut(table: string, columns: readonly string[], { filter = 'true', order }: CopyOptions): string {
  const sorted = order ? ` ORDER BY ${order.map(quote).join(', ')}` : '';
  return `COPY (SELECT ${columns.map(quote).join(', ')} FROM ${quote(table)} WHERE ${filter}${sorted}) TO STDOUT`;
}
export const IN_ORDER = 'SET max_parallel_workers_per_gather = 0';

/** Quotes an SQL identifier. */
function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
