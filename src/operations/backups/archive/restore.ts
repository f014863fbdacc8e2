import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo, type CopyStreamQuery } from 'pg-copy-streams';
import { CONTINUE_NUMBERS, EMPTY_TABLES, TABLES } from './archive.rows';
import { BackupFault } from './backup-fault';
import type { BackupVisitor } from './backup-reader';
import type { BackupManifest, TableManifest } from './manifest';
import { CopiedShare } from './progress';
import { copyOut, copySource, IN_ORDER } from './snapshot';

/** Changes restored rows before they are committed. */
export interface AfterRestore {
  /** Name of the changed rows, shown to the operator. */
  name: string;
  statement: string;
}

export interface RestoreOptions {
  /** Reads the backup to its end. @throws BackupFault if it is damaged or not authentic */
  read: (visitor: BackupVisitor) => Promise<BackupManifest>;
  onProgress?: (step: 'load' | 'compare', share: number) => void;
}

/** @throws BackupFault if the database has a table */
export async function assertEmpty(client: Client): Promise<void> {
  const { rowCount } = await client.query(TABLES);
  if (rowCount) throw new BackupFault('The database is not empty: restore a backup into an empty database');
}

/**
 * Fills the tables in the client's transaction, and compares them with the manifest. PostgreSQL checks the foreign keys
 * during the load.
 * @throws BackupFault if the file is not authentic, or the restored tables differ from it; the caller must roll back
 */
export async function restoreTables(client: Client, options: RestoreOptions): Promise<BackupManifest> {
  const { read, onProgress } = options;
  const tables = new TableLoader(client);
  try {
    // Migrations insert a few rows.
    await client.query(`${EMPTY_TABLES}; ${IN_ORDER}`);
    const manifest = await read({
      header: ({ tables: known }) => tables.expect(known),
      rows: (table, chunk) => tables.load(table, chunk),
      progress: (share) => onProgress?.('load', share),
    });
    await tables.end();
    const share = new CopiedShare(new Map(manifest.tables.map(({ name, bytes }) => [name, bytes])));
    for (const table of manifest.tables) {
      await compare(client, table, (bytes) => onProgress?.('compare', share.within(table.name, bytes)));
      onProgress?.('compare', share.after(table.name));
    }
    await client.query(CONTINUE_NUMBERS);
    return manifest;
  } catch (error) {
    await tables.abandon();
    throw error;
  }
}

/** One `COPY … FROM STDIN` after the other. */
class TableLoader {
  private columns = new Map<string, readonly string[]>();
  private current?: { table: string; copy: CopyStreamQuery; ended: Promise<void> };

  constructor(private readonly client: Client) {}

  expect(tables: readonly { name: string; columns: readonly string[] }[]): void {
    this.columns = new Map(tables.map(({ name, columns }) => [name, columns]));
  }

  /** Resolves once PostgreSQL takes more. */
  async load(table: string, chunk: Buffer): Promise<void> {
    if (this.current?.table !== table) {
      await this.end();
      const columns = this.columns.get(table);
      if (!columns) throw new BackupFault(`The header does not list the table ${table}`);
      const copy = this.client.query(copyFrom(`COPY ${copySource(table, columns)} FROM STDIN`));
      const ended = finished(copy);
      ended.catch(() => undefined); // the next await throws it
      this.current = { table, copy, ended };
    }
    const { copy, ended } = this.current;
    if (!copy.write(chunk)) await Promise.race([once(copy, 'drain'), ended]);
  }

  async end(): Promise<void> {
    this.current?.copy.end();
    await this.current?.ended;
    this.current = undefined;
  }

  async abandon(): Promise<void> {
    this.current?.copy.destroy();
    await this.current?.ended.catch(() => undefined);
  }
}

/** Reads a restored table back. Its rows are in the order of the load, or sorted by `order`. */
async function compare(
  client: Client,
  { name, columns, rows, sha256, order }: TableManifest,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const query = client.query(copyTo(copyOut(name, columns, { order })));
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of query as Readable as AsyncIterable<Buffer>) {
    hash.update(chunk);
    onBytes((bytes += chunk.length));
  }
  if (query.rowCount !== rows) throw new BackupFault(`${name}: ${query.rowCount} rows of ${rows} were restored`);
  if (hash.digest('hex') !== sha256) throw new BackupFault(`${name}: the restored rows differ from the backup`);
}
