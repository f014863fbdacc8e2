import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import { createZstdCompress } from 'node:zlib';
import { pack as createPack, type Pack } from 'tar-stream';
import type { MediaPlace } from '../../../media/storage/open-storage';
import { hmacOf } from './authentication';
import { BackupFault } from './backup-fault';
import { encryption } from './encryption';
import { FileTally } from './file-tally';
import { COMPRESSION } from './frame';
import { filesToPack } from './message-files';
import {
  fileEntry,
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  tableEntry,
  type BackupHeader,
  type BackupManifest,
  type MediaManifest,
  type TableColumns,
  type TableManifest,
} from './manifest';
import { CopiedShare, type OnProgress } from './progress';
import type { Snapshot } from './snapshot';

/** With no file found and at least this many missing, the configured storage is the wrong one. */
const ENOUGH_MISSING = 10;
/** A table is cut into entries of about this size, in bytes. It bounds the memory of a backup. */
const ENTRY_BYTES = 1 << 20;

export interface BackupOptions {
  /** Path of the finished backup. The file appears there only when it is complete. */
  path: string;
  header: BackupHeader;
  /** Authenticates the manifest. */
  key: Buffer;
  /** The age key, `AGE-SECRET-KEY-1…`; undefined if the backup is not encrypted. */
  identity?: string;
  /** Where the files of messages are; undefined if the backup leaves them out. */
  media?: MediaPlace;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

export interface WrittenBackup {
  sizeBytes: number;
  /** SHA-256 of the whole file, in lower-case hex. */
  sha256: string;
  rows: number;
  /** How many files of messages it holds; null if it leaves them out. */
  files: number | null;
  /** How many files are left out: the storage lost, changed or could not read them. */
  missingFiles: number;
}

/** Stands for the files of messages among the tables in the progress; no table has this name. */
const FILES = 'media/';

/**
 * Writes the snapshot to a file, in constant memory, and closes the snapshot.
 * @throws when anything fails; then no file is left
 */
export async function writeBackup(snapshot: Snapshot, options: BackupOptions): Promise<WrittenBackup> {
  const { path, header, identity, signal } = options;
  const partial = `${path}.partial`;
  let missingFiles = 0;
  try {
    const entries = createPack();
    // The archive may be destroyed after the pipeline has ended: without a listener, its error would end the process.
    entries.on('error', () => undefined);
    const digest = new Digest();
    const [manifest] = await Promise.all([
      packAll(entries, snapshot, options).catch((error: unknown) => {
        entries.destroy(asError(error));
        throw error;
      }),
      pipeline(
        [
          // `entries` is a streamx stream: Node's pipeline accepts it, but its types do not.
          entries as unknown as Readable,
          createZstdCompress(COMPRESSION),
          ...(identity ? [encryption(identity)] : []),
          digest as Duplex,
          // `wx` creates a new file and follows no link; `flush` syncs it to disk before the stream ends.
          createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
        ],
        { signal },
      ),
    ]);
    await publish(partial, path);
    const { rows, media } = manifest;
    return { ...digest.result(), rows, files: media?.files ?? null, missingFiles };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }

  async function packAll(pack: Pack, { tables, sizes }: Snapshot, { key, media: place, onProgress }: BackupOptions) {
    await addEntry(pack, HEADER_ENTRY, [asJson(header)]);
    const written: TableManifest[] = [];
    const share = new CopiedShare(place ? new Map([...sizes, [FILES, await snapshot.holdFiles()]]) : sizes);
    const within = (part: string) => (bytes: number) => onProgress?.(share.within(part, bytes));
    for (const table of tables) {
      written.push(await packTable(pack, snapshot, table, within(table.name)));
      onProgress?.(share.after(table.name));
    }
    await snapshot.close();
    const media = place ? await packFiles(pack, place, within(FILES)) : null;
    onProgress?.(share.after(FILES));
    const manifest: BackupManifest = { ...header, tables: written, rows: sumOfRows(written), media };
    await addEntry(pack, MANIFEST_ENTRY, [asJson({ ...manifest, hmac: hmacOf(manifest, key) })]);
    pack.finalize();
    return manifest;
  }

  async function packFiles(pack: Pack, place: MediaPlace, onBytes: (bytes: number) => void): Promise<MediaManifest> {
    const tally = new FileTally();
    let bytes = 0;
    const counted = async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        yield chunk;
        onBytes((bytes += chunk.length));
      }
    };
    const onMissing = (): void => void missingFiles++;
    for await (const file of filesToPack(place, snapshot.files(), { onMissing, signal })) {
      await addEntry(pack, fileEntry(file), counted(file.content), file.sizeBytes);
      tally.add(file, file.sizeBytes);
    }
    const written = tally.result();
    if (written.files === 0 && missingFiles >= ENOUGH_MISSING)
      throw new BackupFault(
        `None of the ${missingFiles} message files is in ${place.s3Url === undefined ? 'MEDIA_DIR' : 'MEDIA_S3_URL'}: point it to where they are stored, or make a backup without media.`,
      );
    return written;
  }
}

async function packTable(
  pack: Pack,
  snapshot: Snapshot,
  table: TableColumns,
  onBytes: (bytes: number) => void,
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
    onBytes(bytes);
  };
  const { stream, rows, order } = snapshot.copy(table);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    gathered.push(chunk);
    gatheredBytes += chunk.length;
    if (gatheredBytes >= ENTRY_BYTES) await flush();
  }
  await flush();
  const { name, columns } = table;
  return { name, columns, rows: rows(), bytes, sha256: hash.digest('hex'), ...(order && { order }) };
}

/** Resolves once the archive has room for more. @param size of the content, in bytes */
async function addEntry(
  pack: Pack,
  name: string,
  content: readonly Buffer[] | AsyncIterable<Buffer>,
  size = sizeOf(content as readonly Buffer[]),
): Promise<void> {
  const added = Promise.withResolvers<void>();
  added.promise.catch(() => undefined); // the next await throws it
  const fail = (error: unknown): void => added.reject(asError(error));
  pack.once('error', fail);
  const entry: NodeJS.WritableStream = pack.entry({ name, size, mode: 0o600 }, (error) => {
    pack.off('error', fail);
    if (error) fail(error);
    else added.resolve();
  });
  // If a later step fails, the archive destroys the entry: without this listener, its error would end the process.
  entry.on('error', fail);
  // Written piece by piece: joining the pieces would double the garbage.
  for await (const piece of content) {
    if (!entry.write(piece)) await Promise.race([once(entry, 'drain'), added.promise]);
  }
  entry.end();
  await added.promise;
}

/** Gives the complete file its name, and syncs the folder. */
async function publish(partial: string, path: string): Promise<void> {
  await rename(partial, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
}

/** Passes all bytes on, and computes their number and hash. */
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
const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);
const sumOfRows = (tables: readonly TableManifest[]): number => tables.reduce((sum, { rows }) => sum + rows, 0);
