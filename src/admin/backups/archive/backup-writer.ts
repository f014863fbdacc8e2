import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import { createZstdCompress } from 'node:zlib';
import { pack as createPack, type Pack } from 'tar-stream';
import { hmacOf } from './authentication';
import { encryption } from './encryption';
import { COMPRESSION } from './frame';
import {
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  tableEntry,
  type BackupHeader,
  type TableColumns,
  type TableManifest,
} from './manifest';
import { CopiedShare, type OnProgress } from './progress';
import type { Snapshot } from './snapshot';

/** A table is cut into entries of about this size, in bytes. It bounds the memory of a backup. */
const ENTRY_BYTES = 1 << 20;

export interface BackupOptions {
  /** Where the backup is to be. It appears there only when it is whole. */
  path: string;
  header: BackupHeader;
  /** Authenticates the manifest. */
  key: Buffer;
  /** Of age, `AGE-SECRET-KEY-1…`; undefined: not encrypted. */
  identity?: string;
  /** Awaited after each entry: gives way to other work. */
  pause?: () => Promise<void>;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

export interface WrittenBackup {
  sizeBytes: number;
  /** Of the whole file, in lower-case hex. */
  sha256: string;
  rows: number;
}

/** Writes what the snapshot holds to a file, in constant memory. @throws when anything fails; then no file is left */
export async function writeBackup(snapshot: Snapshot, options: BackupOptions): Promise<WrittenBackup> {
  const { path, header, identity, signal } = options;
  const partial = `${path}.partial`;
  try {
    const entries = createPack();
    // The archive is destroyed once more after the pipeline has left it: without a listener, that would end the process.
    entries.on('error', () => undefined);
    const digest = new Digest();
    const [tables] = await Promise.all([
      packTables(entries, snapshot, options).catch((error: unknown) => {
        entries.destroy(asError(error));
        throw error;
      }),
      pipeline(
        [
          // A stream of streamx: Node's pipeline takes it, its declaration does not.
          entries as unknown as Readable,
          createZstdCompress(COMPRESSION),
          ...(identity ? [encryption(identity)] : []),
          digest as Duplex,
          // A new file, not where a link of that name leads. The disk has all of it before the stream ends.
          createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
        ],
        { signal },
      ),
    ]);
    await publish(partial, path);
    return { ...digest.result(), rows: sumOfRows(tables) };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }

  async function packTables(pack: Pack, { tables, sizes }: Snapshot, { key, pause, onProgress }: BackupOptions) {
    await addEntry(pack, HEADER_ENTRY, [asJson(header)]);
    const written: TableManifest[] = [];
    const share = new CopiedShare(sizes);
    for (const table of tables) {
      const afterEntry = async (bytes: number): Promise<void> => {
        onProgress?.(share.within(table.name, bytes));
        await pause?.();
      };
      written.push(await packTable(pack, snapshot, table, afterEntry));
      onProgress?.(share.after(table.name));
    }
    const manifest = { ...header, tables: written, rows: sumOfRows(written) };
    await addEntry(pack, MANIFEST_ENTRY, [asJson({ ...manifest, hmac: hmacOf(manifest, key) })]);
    pack.finalize();
    return written;
  }
}

async function packTable(
  pack: Pack,
  snapshot: Snapshot,
  table: TableColumns,
  afterEntry: (bytes: number) => Promise<void>,
): Promise<TableManifest> {
  const hash = createHash('sha256');
  let bytes = 0;
  let index = 0;
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  const flush = async (): Promise<void> => {
    if (gatheredBytes === 0) return;
    await addEntry(pack, tableEntry(table.name, index++), gathered);
    gathered = [];
    gatheredBytes = 0;
    await afterEntry(bytes);
  };
  const { stream, rows } = snapshot.copy(table);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    gathered.push(chunk);
    gatheredBytes += chunk.length;
    if (gatheredBytes >= ENTRY_BYTES) await flush();
  }
  await flush();
  return { name: table.name, columns: table.columns, rows: rows(), bytes, sha256: hash.digest('hex') };
}

/** Resolves once the archive has room for more. */
function addEntry(pack: Pack, name: string, content: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    pack.once('error', reject);
    const size = content.reduce((sum, { length }) => sum + length, 0);
    const entry: NodeJS.WritableStream = pack.entry({ name, size, mode: 0o600 }, (error) => {
      pack.off('error', reject);
      if (error) reject(asError(error));
      else resolve();
    });
    // It ends with the archive when a later step fails: without a listener, that would end the process.
    entry.on('error', (error) => reject(asError(error)));
    // The pieces as they came: joined, they would be as much garbage once more.
    for (const piece of content) entry.write(piece);
    entry.end();
  });
}

/** The file has its name only once it is whole, and the disk knows the name. */
async function publish(partial: string, path: string): Promise<void> {
  await rename(partial, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
}

/** Passes everything on, and knows its length and hash. */
class Digest extends Transform {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  result(): { sizeBytes: number; sha256: string } {
    return { sizeBytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

const asJson = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
const asError = (error: unknown): Error => (isNativeError(error) ? error : new Error(String(error)));
const sumOfRows = (tables: readonly TableManifest[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);
