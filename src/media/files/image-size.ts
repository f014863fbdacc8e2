/** In pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** No picture that a program shows has a longer side: a header that says so is wrong. The database stores at most 2^31 - 1. */
const LONGEST_SIDE = 1_000_000;

/**
 * The size of a picture, from the first bytes of its file.
 * @returns undefined if they do not contain a possible one, or for another format
 */
export function imageSizeOf(mimeType: string, head: Buffer): ImageSize | undefined {
  try {
    const size = READERS[mimeType]?.(head);
    return size && isSide(size.width) && isSide(size.height) ? size : undefined;
  } catch {
    // `head` ends before the size.
    return undefined;
  }
}

function isSide(pixels: number): boolean {
  return pixels > 0 && pixels <= LONGEST_SIDE;
}

const READERS: Readonly<Record<string, (head: Buffer) => ImageSize | undefined>> = {
  /** https://www.w3.org/TR/png-3/#11IHDR */
  'image/png': (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  /** https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18 */
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/jpeg': sizeOfJpeg,
  'image/webp': sizeOfWebp,
};

/** ITU-T T.81, B.2: segments up to the frame header, which is SOF0 to SOF15 without DHT, JPG and DAC. */
function sizeOfJpeg(head: Buffer): ImageSize | undefined {
  for (let at = 2; ; at += 2 + head.readUInt16BE(at + 2)) {
    if (head.readUInt8(at) !== 0xff) return undefined;
    const marker = head.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
  }
}

/** RFC 9649, 2.5 to 2.7 */
function sizeOfWebp(head: Buffer): ImageSize | undefined {
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
