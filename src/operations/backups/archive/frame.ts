import { createHash, type Hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { constants, type ZstdOptions } from 'node:zlib';

/** A backup is one zstd frame (RFC 8878, section 3.1.1), whose checksum reveals damage. */
export const COMPRESSION: ZstdOptions & { writableHighWaterMark: number } = {
  // Each chunk is hashed and written separately, so few large chunks cost less than many small ones.
  chunkSize: 1 << 16,
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
  // With a larger mark, Node may end the frame twice if the stream ends while a piece waits, adding an empty frame.
  writableHighWaterMark: 1,
};

/** Offset of the frame header descriptor, after the magic number, and its bit for the checksum. */
const DESCRIPTOR = 4;
const HAS_CHECKSUM = 0x04;

/** A skippable frame: magic number and length of its content (RFC 8878, section 3.1.2). */
const SEAL_HEAD = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = SEAL_HEAD.length + 32;

/**
 * Passes the frame of a backup on to the decompression, and counts its bytes. A file of an older version has no
 * checksum, but ends with a seal: the SHA-256 of all bytes before it. The stream fails at its end if the seal is
 * missing or wrong.
 */
export class Frame extends Transform {
  /** Bytes passed on: the decompression must take all of them. */
  bytes = 0;
  private hash?: Hash;
  /** The latest bytes of an older file, held back because they may be the seal. */
  private held: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const isFirst = this.bytes + this.held.length === 0;
    if (isFirst && ((chunk[DESCRIPTOR] ?? 0) & HAS_CHECKSUM) === 0) this.hash = createHash('sha256');
    const passed = this.hash ? this.withoutTail(chunk, this.hash) : chunk;
    this.bytes += passed.length;
    done(null, passed);
  }

  override _flush(done: TransformCallback): void {
    const isSealed = !this.hash || this.held.equals(Buffer.concat([SEAL_HEAD, this.hash.digest()]));
    done(isSealed ? null : new Error('the end is missing, or a byte differs'));
  }

  private withoutTail(chunk: Buffer, hash: Hash): Buffer {
    const all = Buffer.concat([this.held, chunk]);
    const passed = all.subarray(0, Math.max(0, all.length - SEAL_BYTES));
    this.held = all.subarray(passed.length);
    hash.update(passed);
    return passed;
  }
}
