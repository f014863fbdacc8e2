import { deflateSync } from 'node:zlib';
import { pdfPages } from './pdf-pages';

const page = '<< /Type /Page /Parent 2 0 R >>';
const packed = (text: string) =>
  Buffer.concat([
    Buffer.from(`%PDF-1.5\n9 0 obj << /Type /ObjStm /N 2 /First 10 /Filter /FlateDecode >>\nstream\n`),
    deflateSync(Buffer.from(text)),
    Buffer.from('\nendstream\nendobj'),
  ]);

describe(pdfPages.name, () => {
  it.each([
    ['plain pages', Buffer.from(`%PDF-1.4\n<< /Type /Pages /Count 2 >> ${page} ${page}`), 2],
    ['pages in an object stream', packed(`${page} ${page} ${page}`), 3],
    ['no page', Buffer.from('%PDF-1.4'), undefined],
    ['an encrypted file', Buffer.from(`%PDF-1.4 ${page} /Encrypt 3 0 R`), undefined],
    ['a damaged object stream', Buffer.concat([packed(page).subarray(0, 80), Buffer.from('xx\nendstream')]), undefined],
    ['an object stream that unpacks to 64 MiB', packed(' '.repeat(64 * 1_024 * 1_024)), undefined],
  ])('counts %s', (_name, bytes, pages) => {
    expect(pdfPages(bytes)).toBe(pages);
  });
});
