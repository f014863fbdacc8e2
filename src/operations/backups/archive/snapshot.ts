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
import { COLUMNS, FINGERPRINTS, ORDERS, REFERENCES, SIZES } from './archive.rows';
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
