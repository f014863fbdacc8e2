import type { Readable } from 'node:stream';

/**
 * Encodes a file as it arrives, one chunk in a turn of the event loop: encoding 20 MB at once would hold up all requests.
 * @returns the pieces of its base64, in ASCII
 */
export async function base64Pieces(stream: Readable): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk]);
    // The base64 of a multiple of 3 bytes has no padding, so the pieces join.
    const end = bytes.length - (bytes.length % 3);
    pieces.push(Buffer.from(bytes.toString('base64', 0, end), 'latin1'));
    rest = bytes.subarray(end);
  }
  return [...pieces, Buffer.from(rest.toString('base64'), 'latin1')];
}
