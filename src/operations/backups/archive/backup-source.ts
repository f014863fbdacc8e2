import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** The bytes of a backup. They can be read several times. */
export interface BackupSource {
  /** Shown in messages; holds no credentials. */
  readonly name: string;
  size(): Promise<number>;
  /** @param bytes reads only this many bytes from the start */
  open(bytes?: number): Promise<Readable>;
}

export function fileSource(path: string): BackupSource {
  return {
    name: path,
    size: async () => (await stat(path)).size,
    open: (bytes) =>
      Promise.resolve(createReadStream(path, { ...(bytes !== undefined && { end: bytes - 1 }), flags: 'r' })),
  };
}
