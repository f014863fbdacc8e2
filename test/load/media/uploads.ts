import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { request } from 'undici';

const BOUNDARY = 'the-boundary-of-the-bench';
const CHUNK = randomBytes(65_536);
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="film.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

/** Uploads a unique file, generated while it is sent. @returns the duration in milliseconds */
export async function upload(origin: string, key: string, bytes: number): Promise<number> {
  const startedAt = performance.now();
  const { statusCode, body } = await request(`${origin}/api/v1/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(HEAD.length + bytes + TAIL.length),
    },
    body: Readable.from(form(bytes), { objectMode: false }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`An upload was answered by ${statusCode}: ${text}`);
  return performance.now() - startedAt;
}

function* form(bytes: number): Generator<Buffer> {
  yield Buffer.from(HEAD);
  const first = randomBytes(64);
  yield first;
  for (let left = bytes - first.length; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
  yield Buffer.from(TAIL);
}
