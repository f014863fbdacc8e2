import { createHash } from 'node:crypto';
import type { StoredFile } from '../../../media/storage/stored-files.rows';
import { fileEntry, type MediaManifest } from './manifest';

/** Counts the files of messages while a backup is written or read, in the order of the archive. */
export class FileTally {
  private files = 0;
  private bytes = 0;
  private readonly names = createHash('sha256');

  add(file: StoredFile, bytes: number): void {
    this.files++;
    this.bytes += bytes;
    this.names.update(`${fileEntry(file)}\n`);
  }

  result(): MediaManifest {
    return { files: this.files, bytes: this.bytes, sha256: this.names.digest('hex') };
  }
}
