import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DataDirectoryInUseError, EmbeddedPostgresError } from './errors';

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Two processes that try to take the lock at once can see each other's attempt and step back; both retry for this time.
 * A process that holds the lock keeps it, so a refusal takes this time as well.
 */
const CONTENTION_MILLISECONDS = 250;

/**
 * The right to work in a data directory, held by one process at a time and freed by the kernel however it dies.
 *
 * The lock is an exclusive SQLite transaction on an empty file, because it is the only byte-range lock (fcntl) that Node
 * offers without a native module. A pid file says nothing between containers that share a volume, each with its own
 * pids, and does not survive two starts at one moment; a listening unix socket is left behind by kill -9 and limits the
 * length of the path; flock(1) is missing on macOS.
 *
 * POSIX frees such a lock when the process closes *any* descriptor of the file. So nothing else in this process may
 * open it, not even to copy the data directory.
 *
 * A user who may read the file could lock it and block the start, so only its owner may read it.
 */
export class DataDirectoryLock {
  private constructor(private readonly database: DatabaseSync) {}

  /** @throws DataDirectoryInUseError within half a second if another process, or this one, holds it */
  static acquire(dataDir: string): DataDirectoryLock {
    const file = join(dataDir, 'gateway.lock');
    let database: DatabaseSync | undefined;
    try {
      database = openPrivately(file);
      database.exec('BEGIN EXCLUSIVE');
      return new DataDirectoryLock(database);
    } catch (error) {
      database?.close();
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataDirectoryInUseError(dataDir);
      throw new EmbeddedPostgresError(`The lock file ${file} cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  release(): void {
    if (this.database.isOpen) this.database.close();
  }
}

/** Only the owner may read the file; a file of an earlier version gets this mode too. Opening it once more would free the lock. */
function openPrivately(file: string): DatabaseSync {
  const umask = process.umask(0o077);
  try {
    const database = new (sqlite().DatabaseSync)(file, { timeout: CONTENTION_MILLISECONDS });
    chmodSync(file, 0o600);
    return database;
  } finally {
    process.umask(umask);
  }
}

/** Loads node:sqlite without the warning that Node 22 prints for it; every other warning still appears. */
function sqlite(): typeof import('node:sqlite') {
  // oxlint-disable-next-line typescript/unbound-method -- restored, and called on process, below
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Makes a folder, and those above it that are missing. `mkdirSync` with `recursive` never ends where a file system refuses
 * new folders with ENOENT, as /proc does: https://github.com/nodejs/node/issues/31481
 * @returns whether it was made
 */
export function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return false;
    // The parent folder existed already, so something else is missing.
    if (code !== 'ENOENT' || dirname(path) === path || !makeFolder(dirname(path))) throw error;
    mkdirSync(path);
    return true;
  }
}
