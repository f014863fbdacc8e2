import { randomBytes } from 'node:crypto';

/** A PNG of one pixel whose header claims `width` × `height`. Random bytes after its end make each file different. */
export function png(width = 1, height = 1, length = 100): Buffer {
  const head = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, randomBytes(Math.max(0, length - head.length))]);
}
