import { inflateSync } from 'node:zlib';

/** The object streams of a file are decompressed up to this many bytes: a small file may contain gigabytes. */
const MOST_UNPACKED = 32 * 1_024 * 1_024;
const PAGE = /\/Type\s*\/Page(?![a-zA-Z])/g;
/** ISO 32000-1, 7.5.7: from version 1.5 on, pages may be inside of compressed object streams. */
const OBJECT_STREAM = /\/Type\s*\/ObjStm\b[^]{0,400}?stream\r?\n/g;

/** How many pages a PDF has; undefined if it cannot be read, for example because it is encrypted. */
export function pdfPages(bytes: Buffer): number | undefined {
  const text = bytes.toString('latin1');
  if (text.includes('/Encrypt')) return undefined;
  let pages = text.match(PAGE)?.length ?? 0;
  let left = MOST_UNPACKED;
  for (const match of text.matchAll(OBJECT_STREAM)) {
    const start = match.index + match[0].length;
    const end = text.indexOf('endstream', start);
    if (end < 0 || left <= 0) return undefined;
    try {
      const unpacked = inflateSync(bytes.subarray(start, end), { maxOutputLength: left });
      left -= unpacked.length;
      pages += unpacked.toString('latin1').match(PAGE)?.length ?? 0;
    } catch {
      return undefined;
    }
  }
  return pages > 0 ? pages : undefined;
}
