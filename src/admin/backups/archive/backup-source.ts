import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Where the bytes of a backup are. They can be read several times. */
export interface BackupSource {
  /** For messages: it holds no credentials. */
  readonly name: string;
  size(): Promise<number>;
  /** @param bytes only the first so many */
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
