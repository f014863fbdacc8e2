import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import { contentDisposition, kindOfFile } from './file-kind';

/** As many bytes of a file are searched. */
const HEAD_BYTES = 65_536;

/** Bytes that begin as a format and then repeat a part of it to their end. */
function head(start: string, unit: string): Buffer {
  const text = start + unit.repeat(Math.ceil(HEAD_BYTES / unit.length));
  return Buffer.from(text.slice(0, HEAD_BYTES), 'latin1');
}

describe(kindOfFile.name, () => {
  it.each([
    ['zeros', head('', '\0')],
    ['frames of MP3', head('', '\xff\xfb\x90\x00')],
    ['local headers of ZIP', head('', `PK\x03\x04\x14\0\0\0\0\0${'\0'.repeat(20)}`)],
    ['local headers of ZIP with a long name', head('', `PK\x03\x04\x14\0\x08\0\0\0${'\0'.repeat(16)}\xff\xff\0\0`)],
    ['empty chunks of PNG', head(`\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR${'\0'.repeat(17)}`, '\0\0\0\0teXt\0\0\0\0')],
    ['empty segments of JPEG', head('\xff\xd8', '\xff\xe1\0\x02')],
    ['a JPEG of zeros', head('\xff\xd8\xff\xe1', '\0')],
    ['a JPEG of quotation marks', head('\xff\xd8\xff\xe1', '"')],
    ['boxes of AVIF', head('\0\0\0\x18ftypavif\0\0\0\0avifmif1', '\0\0\0\x08free')],
    ['boxes of HEIC without a length', head('\0\0\0\x18ftypheic\0\0\0\0heicmif1', '\0\0\0\0meta')],
    ['boxes of JPEG XL', head('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl ', '\0\0\0\0jxlp')],
    ['icons', head('icns\0\x01\0\0', 'ICON\0\0\0\x08')],
    ['entries of ICO', head('\0\0\x01\0\xff\xff', '\x10')],
    ['elements of EBML', head('\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xff', '\x42\x86\x81\x01')],
    ['objects of ASF', head('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c', '\0'.repeat(30))],
    ['boxes of MP4', head('\0\0\0\x08ftyp', '\0\0\0\x08free')],
    ['tags of TIFF', head('II*\0\x08\0\0\0\xff\xff', '\0\x01\x04\0\x01\0\0\0\0\0\0\0')],
    ['pages of Ogg', head('', `OggS\0\x02${'\0'.repeat(21)}\x01`)],
    ['an ID3 tag', head('ID3\x04\0\0\0\0\0\x0a', 'ID3\x04\0\0\0\0\0\x0a')],
    ['less-than signs', head('', '<')],
    ['beginnings of HTML', head('', '<!doctype html')],
    ['text that ends within a character', head('aa', '\xf0\x9f\x98\x80')],
    ['XML declarations', head('\xef\xbb\xbf', '<?xml ')],
    ['spaces', head('', ' ')],
  ])('takes less than 50 ms of CPU for %s', async (_, bytes) => {
    expect(await leastCpuOf(() => kindOfFile(bytes))).toBeLessThan(LONGEST_MS);
  });
});

describe(`the size of a picture from ${kindOfFile.name}`, () => {
  const long = (value: number) => String.fromCharCode(0, 0, value >> 8, value & 255);
  const box = (name: string, content: string) => long(content.length + 8) + name + content;
  const avif = box('meta', `${long(0)}${box('iprp', box('ipco', box('ispe', `${long(0)}${long(640)}${long(480)}`)))}`);

  it.each([
    ['BMP', `BM${'\0'.repeat(16)}\x80\x02\0\0\xe0\x01\0\0`, { width: 640, height: 480 }],
    ['AVIF', box('ftyp', `avif${long(0)}avifmif1`) + avif, { width: 640, height: 480 }],
    ['GIF', 'GIF89a\x80\x02\xe0\x01', { width: 640, height: 480 }],
    ['PNG with a side of 4,294,967,295 pixels', `\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR${'\xff'.repeat(8)}`, undefined],
    ['PNG that ends before its size', '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0', undefined],
  ])('reads a %s', async (_, bytes, size) => {
    const found = await kindOfFile(Buffer.from(bytes.padEnd(100, '\0'), 'latin1'));
    expect(found).toMatchObject({ kind: 'image' });
    expect(found.size).toEqual(size);
  });
});

describe(contentDisposition.name, () => {
  it.each(['"', "'", '%', '\u{1f600}'])('takes less than 50 ms of CPU for a name of %s', async (unit) => {
    expect(await leastCpuOf(() => contentDisposition(unit.repeat(255)))).toBeLessThan(LONGEST_MS);
  });
});
