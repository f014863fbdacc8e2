import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Environment } from '#contracts';
import { MissingMediaError, type ByteRange, type MediaStorage } from './media-storage.port';

/** `MEDIA_DIR/live/9f/9f86d0…`: a folder for each environment, in it one for the first two digits. */
export class DiskStorage implements MediaStorage {
  constructor(readonly place: string) {}

  async keep(environment: Environment, sha256: string, path: string): Promise<void> {
    const target = this.pathOf(environment, sha256);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // On one disk: a reader finds the whole file or none.
    await rename(path, target);
  }

  async open(environment: Environment, sha256: string, range?: ByteRange): Promise<Readable> {
    try {
      const file = await open(this.pathOf(environment, sha256));
      return file.createReadStream({ ...range });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingMediaError(sha256, { cause: error });
      throw error;
    }
  }

  async remove(environment: Environment, sha256: string): Promise<void> {
    await rm(this.pathOf(environment, sha256), { force: true });
  }

  private pathOf(environment: Environment, sha256: string): string {
    return join(this.place, environment, sha256.slice(0, 2), sha256);
  }
}
