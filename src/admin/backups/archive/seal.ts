import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** A skippable frame, which `zstd -d` passes over: magic number and length of its content (RFC 8878, section 3.1.2). */
const FRAME = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = FRAME.length + 32;

/** Ends the compressed stream with the SHA-256 of all before: a cut or a changed byte shows, wherever it is. */
export class Seal extends Transform {
  private readonly hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.hash.update(chunk);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.concat([FRAME, this.hash.digest()]));
  }
}

/** Takes the seal off. @throws through the stream at its end when it is not that of what came before */
export class Unseal extends Transform {
  private readonly hash = createHash('sha256');
  /** The last bytes so far: they may be the seal. */
  private held: Buffer = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const all = Buffer.concat([this.held, chunk]);
    const passed = all.subarray(0, Math.max(0, all.length - SEAL_BYTES));
    this.held = all.subarray(passed.length);
    this.hash.update(passed);
    done(null, passed);
  }

  override _flush(done: TransformCallback): void {
    const isWhole = this.held.equals(Buffer.concat([FRAME, this.hash.digest()]));
    done(isWhole ? null : new Error('its end is missing, or a byte differs'));
  }
}
