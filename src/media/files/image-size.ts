import { imageSize } from 'image-size';

/** In pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** No picture that a program shows has a longer side: a header that says so is wrong. The database stores at most 2^31 - 1. */
const LONGEST_SIDE = 1_000_000;

/**
 * The size of a picture, from the first bytes of its file.
 * @returns undefined if they do not contain a possible one, or for a format without a reader
 */
export function imageSizeOf(head: Buffer): ImageSize | undefined {
  try {
    const { width, height } = imageSize(head);
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels > 0 && pixels <= LONGEST_SIDE;
}
