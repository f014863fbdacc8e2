import { createHash, type Hash } from 'node:crypto';
import { Readable, type Duplex, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { buffer, text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import type { StoredFile } from '../../../media/storage/stored-files.rows';
import { BackupFault, networkCodeOf } from './backup-fault';
import type { BackupSource } from './backup-source';
import { AGE_MAGIC, decryption, NO_MATCHING_KEY } from './encryption';
import { FileTally } from './file-tally';
import { Frame } from './frame';
import {
  fileOfEntry,
  FORMAT,
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  READABLE_FORMATS,
  tableOfEntry,
  type BackupHeader,
  type BackupManifest,
  type MediaManifest,
  type TableManifest,
} from './manifest';
import type { OnProgress } from './progress';

/** Handlers for the parts of a backup, called in the order of the file. */
export interface BackupVisitor {
  header?(header: BackupHeader): Promise<void> | void;
  /** The text of a table in pieces, one table after the other. */
  rows?(table: string, chunk: Buffer): Promise<void>;
  /** Must read the content to its end: the stream fails there if the content does not match the SHA-256 in its name. */
  file?(file: StoredFile, content: Readable): Promise<void>;
  /** Called after each piece with the share of the file that was read. */
  progress?: OnProgress;
}

export interface ReadOptions {
  /** The age identity of an encrypted file. */
  identity?: string;
  visitor?: BackupVisitor;
  signal?: AbortSignal;
}

/**
 * Reads a backup to its end, in constant memory, and compares every table with the manifest.
 * @throws BackupFault if the file is truncated, changed, of an unknown format, or cannot be decrypted
 */
export async function readBackup(source: BackupSource, options: ReadOptions = {}): Promise<BackupManifest> {
  const { identity, visitor = {}, signal } = options;
  try {
    return await read(source, identity, visitor, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw faultOf(error, source.name);
  }
}

async function read(
  source: BackupSource,
  identity: string | undefined,
  visitor: BackupVisitor,
  signal: AbortSignal | undefined,
): Promise<BackupManifest> {
  const size = await source.size();
  const decryptions = await decryptionOf(source, identity);
  const file = await source.open();
  const [frame, decompression, entries] = [new Frame(), createZstdDecompress(), extract()];
  const found = new FoundTables();
  const files = new FileTally();
  let header: BackupHeader | undefined;
  let manifest: BackupManifest | undefined;
  // An estimate: encryption makes the file a little longer than its frame.
  const tell = (): void => visitor.progress?.(Math.min(1, frame.bytes / size));
  /** Compares a file's content with the SHA-256 in its name. */
  const checkedFile = async function* (stored: StoredFile, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
      tell();
    }
    if (hash.digest('hex') !== stored.sha256)
      throw new BackupFault(`The file ${stored.sha256} does not match its checksum`);
    files.add(stored, bytes);
  };
  const visit = async (): Promise<void> => {
    for await (const entry of entries) {
      const { name } = entry.header;
      // The chunks are buffers; tar-stream's types leave that open.
      const content = entry as AsyncIterable<Buffer>;
      if (manifest) throw new BackupFault('Data after the end');
      if (name === HEADER_ENTRY && !header) {
        header = known(await jsonOf(content));
        await visitor.header?.(header);
      } else if (name === MANIFEST_ENTRY) {
        manifest = (await jsonOf(content)) as BackupManifest;
      } else {
        const [table, stored] = [tableOfEntry(name), fileOfEntry(name)];
        if (header && stored) {
          const checked = Readable.from(checkedFile(stored, content), { objectMode: false });
          await (visitor.file ? visitor.file(stored, checked) : finished(checked.resume()));
          continue;
        }
        if (!header || !table) throw new BackupFault(`Unknown entry: ${name}`);
        for await (const chunk of content) {
          found.add(table, chunk);
          await visitor.rows?.(table, chunk);
          tell();
        }
      }
    }
  };
  await Promise.all([
    // `entries` is a streamx stream: Node's pipeline accepts it, but its types do not.
    pipeline([file, ...decryptions, frame, decompression, entries as unknown as Writable], { signal }),
    visit().catch((error: unknown) => {
      entries.destroy(error as Error);
      throw error;
    }),
  ]);
  if (!header || !manifest) throw new BackupFault('Truncated: the end is missing');
  // The decompression ignores bytes after its frame.
  if (decompression.bytesWritten !== frame.bytes) throw new BackupFault('Data after the end');
  found.compare(manifest.tables);
  assertSameFiles(files.result(), manifest);
  assertSameHeader(header, manifest);
  visitor.progress?.(1);
  return manifest;
}

/** Hashes and sizes of the tables as they are read, for the comparison with the manifest at the end. */
class FoundTables {
  private readonly tables = new Map<string, { hash: Hash; bytes: number }>();

  add(table: string, chunk: Buffer): void {
    let found = this.tables.get(table);
    if (!found) this.tables.set(table, (found = { hash: createHash('sha256'), bytes: 0 }));
    found.hash.update(chunk);
    found.bytes += chunk.length;
  }

  compare(tables: readonly TableManifest[]): void {
    const empty = createHash('sha256').digest('hex');
    for (const { name, bytes, sha256 } of tables) {
      const found = this.tables.get(name);
      this.tables.delete(name);
      if ((found?.bytes ?? 0) !== bytes || (found?.hash.digest('hex') ?? empty) !== sha256)
        throw new BackupFault(`The table ${name} does not match its checksum`);
    }
    const [unknown] = this.tables.keys();
    if (unknown) throw new BackupFault(`The manifest does not list the table ${unknown}`);
  }
}

async function decryptionOf(source: BackupSource, identity: string | undefined): Promise<Duplex[]> {
  const head = await buffer(await source.open(AGE_MAGIC.length));
  if (head.toString('latin1') !== AGE_MAGIC) return [];
  if (!identity) throw new BackupFault('Encrypted: set BACKUP_KEY_FILE');
  return [decryption(identity)];
}

async function jsonOf(entry: AsyncIterable<Buffer>): Promise<unknown> {
  return JSON.parse(await text(entry)) as unknown;
}

function known(value: unknown): BackupHeader {
  const header = value as BackupHeader;
  if (READABLE_FORMATS.includes(header.format)) return header;
  throw new BackupFault(`Unknown format ${String(header.format)}; this version reads up to ${FORMAT}`);
}

function assertSameFiles(found: MediaManifest, { media }: BackupManifest): void {
  if (!isDeepStrictEqual(found, media ?? new FileTally().result()))
    throw new BackupFault('The message files do not match the manifest');
}

/** The header is used before the manifest is read, but only the manifest is authenticated, so the two must agree. */
function assertSameHeader(
  header: BackupHeader,
  { rows: _rows, media: _media, hmac: _hmac, ...manifest }: BackupManifest,
): void {
  const tables = manifest.tables.map(({ name, columns }) => ({ name, columns }));
  if (!isDeepStrictEqual(header, { ...manifest, tables }))
    throw new BackupFault('The header does not match the manifest');
}

function faultOf(error: unknown, name: string): Error {
  if (error instanceof BackupFault) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (message.startsWith(NO_MATCHING_KEY))
    return new BackupFault(`The key in BACKUP_KEY_FILE does not decrypt ${name}: it was encrypted with another key`, {
      cause: error,
    });
  // A server failed, which says nothing about the backup: that of the storage, or of the target of a restore.
  const networkCode = networkCodeOf(error);
  if (networkCode) return new BackupFault(`The connection was lost (${networkCode})`, { cause: error });
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') return new BackupFault(message, { cause: error });
  // From an entry with invalid JSON or another structure: the exception's message would name variables of the code.
  const isException = error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError;
  return new BackupFault(`Truncated or modified${isException ? '' : `: ${message}`}`, { cause: error });
}
