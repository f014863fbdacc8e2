import type { Attachment } from '#client';
import { absenceOf, captionOf, formOf, mapAddress } from './attachment-words';

describe(formOf.name, () => {
  it.each([
    ['image', 'image/png', 'image'],
    ['sticker', 'image/webp', 'image'],
    ['image', 'image/svg+xml', 'file'],
    ['document', 'image/png', 'file'],
    ['document', 'text/html', 'file'],
    ['voice', 'audio/ogg', 'sound'],
    ['video', 'video/mp4', 'video'],
    ['sticker', null, 'file'],
  ] as const)('shows a %s of %s as %s', (kind, mime_type, form) => {
    expect(formOf({ kind, mime_type })).toBe(form);
  });
});

describe(captionOf.name, () => {
  const file = (filename: string | null) => [{ filename }] as Attachment[];
  it.each([
    ['[photo]', null, ''],
    ['[photo] Look!', null, 'Look!'],
    ['[document] bill.pdf Please pay', 'bill.pdf', 'Please pay'],
    ['[location] 52.5, 13.4', null, '52.5, 13.4'],
  ])('of %j is %j', (content, filename, caption) => {
    expect(captionOf({ content, attachments: file(filename) })).toBe(caption);
  });

  it('returns a text without files unchanged', () => {
    expect(captionOf({ content: '[photo] of what?', attachments: [] })).toBe('[photo] of what?');
  });
});

describe(absenceOf.name, () => {
  it.each([
    ['failed', 'quota', 'Not stored: the storage for files, or the share of this person, is full.'],
    ['failed', 'platform', 'It could not be fetched.'],
    ['too_large', 'max_bytes', 'Larger than the gateway accepts.'],
    ['expired', 'platform', 'The platform no longer provides it.'],
    ['expired', 'retention', 'Deleted: its retention period is over.'],
  ] as const)('explains why a file is %s (%s)', (status, reason, words) => {
    expect(absenceOf({ status, reason })).toBe(words);
  });
});

describe(mapAddress.name, () => {
  it('links the coordinates in a text', () => {
    expect(mapAddress('Café 52.52, 13.405')).toContain('mlat=52.52&mlon=13.405');
    expect(mapAddress('Bar Calle Mayor 5, 28 Madrid 40.4, -3.7 https://example.com/?ids=11,22')).toContain(
      'mlat=40.4&mlon=-3.7',
    );
    expect(mapAddress('Street 5, 28 Town')).toBeUndefined();
    expect(mapAddress('Somewhere')).toBeUndefined();
  });
});
