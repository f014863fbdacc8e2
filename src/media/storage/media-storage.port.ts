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
   * Takes a file over that was written to the spool; it is gone from there afterwards. Bytes that are there already stay as
   * they are. When it resolves they are stored whole, whatever happens then.
   */
  keep(environment: Environment, sha256: string, path: string): Promise<void>;

  /** @throws MissingMediaError */
  open(environment: Environment, sha256: string, range?: ByteRange): Promise<Readable>;

  /** Does nothing if the bytes do not exist. */
  remove(environment: Environment, sha256: string): Promise<void>;
}
