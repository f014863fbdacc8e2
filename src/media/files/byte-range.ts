import type { ByteRange } from '../storage/media-storage.port';

/**
 * The one range of bytes that a `Range` header asks for (RFC 9110, 14.2).
 * @returns undefined if it is malformed, outside the file or has several parts: then the whole file is sent
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [whole, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (whole === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  const isMet = start <= end && start < sizeBytes && (first !== '' || Number(last) > 0);
  return isMet ? { start, end } : undefined;
}
