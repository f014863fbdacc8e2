import { createHash, type Hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { constants, type ZstdOptions } from 'node:zlib';

/** A backup is one frame of zstd (RFC 8878, section 3.1.1), whose checksum shows damage. */
export const COMPRESSION: ZstdOptions & { writableHighWaterMark: number } = {
  // Each piece is hashed and written on its own.
  chunkSize: 1 << 16,
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
  // When the end comes while the last piece waits, Node ends the frame twice, and the second frame is empty.
  writableHighWaterMark: 1,
};

/** The descriptor follows the magic number; this bit says that the frame has a checksum. */
const DESCRIPTOR = 4;
const HAS_CHECKSUM = 0x04;

/** A skippable frame: magic number and length of its content (RFC 8878, section 3.1.2). */
const SEAL_HEAD = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = SEAL_HEAD.length + 32;

/**
 * Passes the frame of a backup on to the decompression, and counts it. A file of an older version has no checksum, and ends
 * with a seal, the SHA-256 of all before.
 * @throws through the stream at its end when the seal is missing
 */
export class Frame extends Transform {
  /** Bytes passed on: the decompression must take all of them. */
  bytes = 0;
  private hash?: Hash;
  /** The last bytes of an older file so far: they may be the seal. */
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
    done(isSealed ? null : new Error('its end is missing, or a byte differs'));
  }

  private withoutTail(chunk: Buffer, hash: Hash): Buffer {
    const all = Buffer.concat([this.held, chunk]);
    const passed = all.subarray(0, Math.max(0, all.length - SEAL_BYTES));
    this.held = all.subarray(passed.length);
    hash.update(passed);
    return passed;
  }
}
