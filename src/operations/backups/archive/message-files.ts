import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredFile } from '../../../media/storage/stored-files.rows';
import { MissingMediaError } from '../../../media/storage/media-storage.port';
import { openMediaStorage, spoolAt, type MediaPlace } from '../../../media/storage/open-storage';
import type { BackupVisitor } from './backup-reader';

/** How many attempts a file gets if its storage fails, and the pause between them in milliseconds. */
const TRIES = 3;
const RETRY_MS = 1_000;
/** A bad disk may have a few unreadable files. If there are more, the storage itself fails. */
const MOST_UNREADABLE = 10;

/** A file of a message, to be packed. */
export interface FileToPack extends StoredFile {
  sizeBytes: number;
  /** Can be read once. */
  content: AsyncIterable<Buffer>;
}

/**
 * Reads files from the storage. Copies each file first, because a failure in the middle of an archive entry would spoil
 * the archive.
 * @param onMissing called for a file that is left out: it was erased meanwhile, is unreadable, or differs from its
 *   SHA-256
 */
export async function* filesToPack(
  place: MediaPlace,
  files: AsyncIterable<StoredFile>,
  { onMissing, signal }: { onMissing: (file: StoredFile) => void; signal?: AbortSignal },
): AsyncGenerator<FileToPack> {
  const spool = spoolAt(place);
  const storage = await openMediaStorage(place);
  let unreadable = 0;
  for await (const file of files) {
    const copy = await retried(
      async () => spool.write(await storage.open(file.environment, file.sha256), Infinity, { signal }),
      signal,
    ).catch((error: unknown) => {
      if ((unreadable += 1) > MOST_UNREADABLE || signal?.aborted || isOfSpool(error)) throw error;
      return undefined;
    });
    try {
      if (copy?.sha256 === file.sha256)
        // Chunks of the size of a table's entries.
        yield { ...file, sizeBytes: copy.sizeBytes, content: createReadStream(copy.path, { highWaterMark: 1 << 20 }) };
      else onMissing(file);
    } finally {
      if (copy) await spool.remove(copy.path);
    }
  }
}

/** Whether the copy failed for lack of space on its disk, not because of the file. */
function isOfSpool(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** @returns undefined when the storage does not have the file */
async function retried<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (error instanceof MissingMediaError) return undefined;
      signal?.throwIfAborted();
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/** Stores the files of a backup. A file that the storage has already is replaced by the same bytes. */
export function fileRestorer(place: MediaPlace): NonNullable<BackupVisitor['file']> {
  const spool = spoolAt(place);
  const storage = openMediaStorage(place);
  storage.catch(() => undefined); // the first file throws it
  return async ({ environment, sha256 }, content) => {
    const copy = await spool.write(content, Infinity);
    try {
      await (await storage).keep(environment, sha256, copy.path);
    } finally {
      await spool.remove(copy.path);
    }
  };
}
