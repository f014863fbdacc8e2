import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Semaphore } from '#http-client';

/** How many bytes of a file are kept to decide its kind. */
const HEAD_BYTES = 65_536;
/** The most bytes of a file that wait for the disk while more arrive; one write takes all that wait. */
const WRITE_AHEAD = 131_072;
/** All files together read this many chunks in one turn of the event loop, so that requests of other clients run in between. */
const CHUNKS_IN_A_TURN = 4;
/** No file takes this long to arrive, in milliseconds: the process of an older file has died. */
const ABANDONED_MS = 15 * 60_000;

/** A file that has arrived completely. */
export interface SpooledFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Its first bytes. */
  head: Buffer;
}

/** The file has more bytes than it may have. */
export class FileTooLargeError extends Error {
  constructor(readonly maxBytes: number) {
    super(`the file has more than ${maxBytes} bytes`);
  }
}

interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Gets the number of bytes of each piece. It throws to refuse the file. */
  onBytes?: (bytes: number) => void;
}

/** Receives files. The digest of a file is known only at its end; memory holds only its beginning. */
export class Spool {
  /** Names machine and process, because others may share the folder. */
  private readonly prefix = `${hostname()}.${process.pid}.`;
  private readonly writing = new Set<string>();
  private readonly turns = new Semaphore(CHUNKS_IN_A_TURN);

  constructor(private readonly folder: string) {}

  /**
   * @param maxBytes refuses a longer file as soon as its length is known
   * @throws FileTooLargeError, the error of the source or of `onBytes`, or the signal's reason; then nothing of the file stays
   */
  async write(source: Readable, maxBytes: number, { signal, onBytes }: WriteOptions = {}): Promise<SpooledFile> {
    source.on('error', () => undefined); // it may fail before the pipeline listens, which then reports it
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const name = this.prefix + randomUUID();
    const path = join(this.folder, name);
    const meter = new Meter(maxBytes, this.turns, onBytes);
    const options = { flags: 'wx', mode: 0o600, flush: true, highWaterMark: WRITE_AHEAD };
    this.writing.add(name);
    try {
      await pipeline(source, meter, createWriteStream(path, options), { signal });
      return { path, ...meter.result() };
    } catch (error) {
      await this.remove(path);
      throw error;
    } finally {
      this.writing.delete(name);
    }
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  /** Removes the files of processes that died. */
  async removeAbandoned(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) if (await this.isAbandoned(name)) await this.remove(join(this.folder, name));
  }

  private async isAbandoned(name: string): Promise<boolean> {
    if (this.writing.has(name)) return false;
    const stats = await stat(join(this.folder, name)).catch(() => undefined);
    if (!stats) return false;
    if (Date.now() - stats.mtimeMs > ABANDONED_MS) return true;
    // In a container, a process has the same id as the one before it.
    if (name.startsWith(this.prefix)) return stats.mtimeMs < performance.timeOrigin;
    const [host, pid] = name.split(/\.(\d+)\./);
    return host === hostname() && !isAlive(Number(pid));
  }
}

/** Whether a process of this machine runs. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Counts and hashes the bytes that pass through. */
class Meter extends Transform {
  private readonly hash: Hash = createHash('sha256');
  private readonly beginning: Buffer[] = [];
  private sizeBytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly turns: Semaphore,
    private readonly onBytes: WriteOptions['onBytes'],
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.sizeBytes < HEAD_BYTES) this.beginning.push(chunk.subarray(0, HEAD_BYTES - this.sizeBytes));
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > this.maxBytes) return done(new FileTooLargeError(this.maxBytes));
    try {
      this.onBytes?.(chunk.length);
    } catch (error) {
      return done(error as Error);
    }
    void this.turns.run(async () => {
      this.hash.update(chunk);
      done(null, chunk);
      await nextTurn();
    });
  }

  result(): Omit<SpooledFile, 'path'> {
    return { sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex'), head: Buffer.concat(this.beginning) };
  }
}
