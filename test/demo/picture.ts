import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number];

const WALL: Colour = [238, 226, 206];
const FRAME: Colour = [120, 84, 58];
const GRASS: Colour = [126, 168, 98];
const CLOTH: Colour = [250, 250, 247];
const TABLE: Colour = [150, 102, 66];
const CUP: Colour = [200, 70, 62];

/** A PNG of a table by the window, laid for two. `colourAt` computes each pixel, so no drawing library is needed. */
export function tableByTheWindow(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(colourAt(x / width, y / height), y * (1 + width * 3) + 1 + x * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @param x from 0 (left) to 1 @param y from 0 (top) to 1 */
function colourAt(x: number, y: number): Colour {
  if (isCup(x, y, 0.36) || isCup(x, y, 0.64)) return CUP;
  if (((x - 0.5) / 0.38) ** 2 + ((y - 0.8) / 0.12) ** 2 < 1) return CLOTH;
  if (Math.abs(x - 0.5) < 0.03 && y > 0.85) return TABLE;
  if (x < 0.2 || x > 0.8 || y < 0.08 || y > 0.62) return WALL;
  const isFrame = x < 0.22 || x > 0.78 || y < 0.11 || y > 0.59 || Math.abs(x - 0.5) < 0.01;
  if (isFrame) return FRAME;
  if (y > 0.46 + 0.03 * Math.sin(x * 12)) return GRASS;
  return [150 + y * 160, 195 + y * 90, 240];
}

const isCup = (x: number, y: number, at: number) => Math.abs(x - at) < 0.035 && y > 0.69 && y < 0.78;

/** https://www.w3.org/TR/png-3/#5Chunk-layout */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(type), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
