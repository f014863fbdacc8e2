import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Duplex, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { AGE_MAGIC, decryption, NO_KEY_FITS } from './encryption';
import {
  FORMAT,
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  tableOfEntry,
  type BackupHeader,
  type BackupManifest,
  type TableManifest,
} from './manifest';
import type { OnProgress } from './progress';
import { Unseal } from './seal';

/** The file is no whole backup, or does not belong here. The message says why in a sentence. */
export class BackupFault extends Error {}

/** What is done with the parts of a backup, in the order of the file. */
export interface BackupVisitor {
  header?(header: BackupHeader): Promise<void> | void;
  /** The text of a table, in pieces; the last piece of a table comes before the first of the next. */
  rows?(table: string, chunk: Buffer): Promise<void>;
  /** After each piece: how much of the file was read. */
  progress?: OnProgress;
}

/**
 * Reads a backup to its end, in constant memory, and compares every table with the manifest.
 * @param identity of age, for an encrypted file
 * @throws BackupFault when the file is cut, changed, of another format, or cannot be decrypted
 */
export async function readBackup(
  path: string,
  identity: string | undefined,
  visitor: BackupVisitor = {},
): Promise<BackupManifest> {
  const steps = await decoding(path, identity);
  const found = new FoundTables();
  let header: BackupHeader | undefined;
  let manifest: BackupManifest | undefined;
  const entries = extract();
  const { size } = await stat(path);
  const file = createReadStream(path);
  const read = async (): Promise<void> => {
    for await (const entry of entries) {
      const { name } = entry.header;
      // The archive's bytes; the declaration leaves their type open.
      const content = entry as AsyncIterable<Buffer>;
      if (manifest) throw new BackupFault('There is more after its end');
      if (name === HEADER_ENTRY) {
        header = known(await jsonOf(content));
        await visitor.header?.(header);
      } else if (name === MANIFEST_ENTRY) {
        manifest = (await jsonOf(content)) as BackupManifest;
      } else {
        const table = tableOfEntry(name);
        if (!header || !table) throw new BackupFault(`It has an entry that is not known: ${name}`);
        for await (const chunk of content) {
          found.add(table, chunk);
          await visitor.rows?.(table, chunk);
          visitor.progress?.(file.bytesRead / size);
        }
      }
    }
  };
  try {
    await Promise.all([
      // A stream of streamx: Node's pipeline takes it, its declaration does not.
      pipeline([file, ...steps, entries as unknown as Writable]),
      read().catch((error: unknown) => {
        entries.destroy(error as Error);
        throw error;
      }),
    ]);
  } catch (error) {
    throw faultOf(error, path);
  }
  if (!header || !manifest) throw new BackupFault('It is cut: its end is missing');
  found.compare(manifest.tables);
  return manifest;
}

/** The tables as they were read, to be compared with the manifest at the end. */
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
        throw new BackupFault(`The table ${name} differs from its checksum`);
    }
    const [unknown] = this.tables.keys();
    if (unknown) throw new BackupFault(`The table ${unknown} is not in its manifest`);
  }
}

async function decoding(path: string, identity: string | undefined): Promise<Duplex[]> {
  const file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(AGE_MAGIC.length), 0, AGE_MAGIC.length, 0);
  await file.close();
  const encrypted = buffer.toString('latin1', 0, bytesRead) === AGE_MAGIC;
  if (!encrypted) return [new Unseal(), createZstdDecompress()];
  if (!identity) throw new BackupFault('It is encrypted: set BACKUP_KEY_FILE');
  return [decryption(identity), new Unseal(), createZstdDecompress()];
}

async function jsonOf(entry: AsyncIterable<Buffer>): Promise<unknown> {
  return JSON.parse(await text(entry)) as unknown;
}

function known(value: unknown): BackupHeader {
  const header = value as BackupHeader;
  if (header.format === FORMAT) return header;
  throw new BackupFault(`Its format is ${String(header.format)}; this version reads ${FORMAT}`);
}

function faultOf(error: unknown, path: string): Error {
  if (error instanceof BackupFault) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (message.startsWith(NO_KEY_FITS))
    return new BackupFault(`The key in BACKUP_KEY_FILE does not fit ${path}: it was encrypted with another key`, {
      cause: error,
    });
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') return new BackupFault(message, { cause: error });
  return new BackupFault(`It is cut or changed: ${message}`, { cause: error });
}
