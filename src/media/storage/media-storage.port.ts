import type { Readable } from 'node:stream';
import type { Environment } from '#contracts';

/** The first and the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The storage has no such bytes. */
export class MissingMediaError extends Error {
  constructor(sha256: string, options?: ErrorOptions) {
    super(`the storage of media has no ${sha256}`, options);
  }
}

/** Keeps files by their SHA-256: identical bytes of an environment are stored once. */
export interface MediaStorage {
  /** For the operator: a folder, or an address without credentials. */
  readonly place: string;

  /**
   * Moves a file from the spool into the storage. Bytes that are stored already stay as they are. Once it resolves, the bytes
   * are stored completely, whatever happens afterwards.
   */
  keep(environment: Environment, sha256: string, path: string): Promise<void>;

  /** @throws MissingMediaError */
  open(environment: Environment, sha256: string, range?: ByteRange): Promise<Readable>;

  /** Does nothing if the bytes do not exist. */
  remove(environment: Environment, sha256: string): Promise<void>;
}
