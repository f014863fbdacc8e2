import { Readable } from 'node:stream';
import type { OutboundFile } from '../media.port';
import type { SendPlan } from '../platform.port';
import { planDiscord } from '../discord/outbound/plan';
import { DEFAULT_LARGEST } from '../discord/outbound/file-rules';
import { planTelegram } from '../telegram/outbound/plan';
import { planWhatsApp } from '../whatsapp/outbound/plan';

const MIB = 1_024 * 1_024;
const PLANS = {
  telegram: planTelegram,
  whatsapp: planWhatsApp,
  discord: (content: Parameters<typeof planTelegram>[0]) => planDiscord(content, 'plain', DEFAULT_LARGEST),
};
type Platform = keyof typeof PLANS;

const file = (filename: string, kind: OutboundFile['kind'], mimeType: string, sizeBytes = 1): OutboundFile => ({
  filename,
  kind,
  mimeType,
  sizeBytes,
  open: () => Readable.from([]),
});
const photo = (name = 'p', sizeBytes?: number) => file(name, 'image', 'image/jpeg', sizeBytes);
const pdf = (name = 'd', sizeBytes?: number) => file(name, 'document', 'application/pdf', sizeBytes);
const voice = (name = 'v') => file(name, 'voice', 'audio/ogg');
const film = (name = 'f', sizeBytes?: number) => file(name, 'video', 'video/mp4', sizeBytes);

/** Each part as its text and its files' names: `text[a b]`. */
function shown(plan: SendPlan): string[] {
  if (!('parts' in plan)) return [plan.refusal];
  expect(plan.parts.map(({ index }) => index)).toEqual([...plan.parts.keys()]);
  return plan.parts.map(({ text, files }) =>
    files ? `${text}[${files.map(({ filename }) => filename).join(' ')}]` : text,
  );
}

describe('the parts of a message with files', () => {
  it.each<[Platform, string, string, OutboundFile[], string[]]>([
    ['telegram', 'the caption is on the file', 'hi', [photo()], ['hi[p]']],
    ['telegram', 'photos and videos are one album', 'hi', [photo('a'), film('b'), photo('c')], ['hi[a b c]']],
    ['telegram', 'documents are an album of their own', 'hi', [photo('a'), pdf('b'), pdf('c')], ['hi[a]', '[b c]']],
    ['telegram', 'voice messages stand alone', '', [voice('a'), voice('b')], ['[a]', '[b]']],
    [
      'telegram',
      'an album has ten items',
      '',
      [...'abcdefghijk'].map((name) => photo(name)),
      ['[a b c d e f g h i j]', '[k]'],
    ],
    ['telegram', 'a sticker takes no caption', 'hi', [file('s', 'sticker', 'image/webp')], ['hi', '[s]']],
    ['telegram', 'a request has 50 MB', '', [film('a', 30 * MIB), film('b', 30 * MIB)], ['[a]', '[b]']],
    ['telegram', 'a large photo is a document', '', [photo('a'), photo('b', 11 * MIB), pdf('c')], ['[a]', '[b c]']],
    [
      'telegram',
      'a file above 50 MB is refused',
      '',
      [pdf('d', 51 * MIB)],
      ['d: Telegram accepts files of up to 50 MB from a bot'],
    ],
    ['whatsapp', 'there are no albums', 'hi', [photo('a'), photo('b')], ['hi[a]', '[b]']],
    ['whatsapp', 'a voice message takes no caption', 'hi', [voice()], ['hi', '[v]']],
    ['whatsapp', 'the caption is on the file that takes it', 'hi', [voice(), pdf()], ['[v]', 'hi[d]']],
    ['whatsapp', 'a large video is a document', 'hi', [film('f', 17 * MIB)], ['hi[f]']],
    [
      'whatsapp',
      'a file above 100 MB is refused',
      '',
      [pdf('d', 101 * MIB)],
      ['d: WhatsApp accepts files of up to 100 MB'],
    ],
    [
      'whatsapp',
      'a type that no upload takes is refused',
      '',
      [file('z', 'document', 'application/zip')],
      ['z: WhatsApp does not accept files of the type application/zip'],
    ],
    ['whatsapp', 'any text is plain text', '', [file('t', 'document', 'text/csv')], ['[t]']],
    ['discord', 'a message takes files of all kinds', 'hi', [photo('a'), voice('b'), pdf('c')], ['hi[a b c]']],
    [
      'discord',
      'a request has 25 MB',
      'hi',
      [photo('a', 9 * MIB), photo('b', 9 * MIB), photo('c', 9 * MIB)],
      ['hi[a b]', '[c]'],
    ],
    [
      'discord',
      'a file above 10 MiB is refused',
      '',
      [pdf('d', 11 * MIB)],
      ['d: Discord accepts files of up to 10 MiB in this channel'],
    ],
  ])('on %s: %s', (platform, _, text, files, parts) => {
    expect(shown(PLANS[platform]({ text, files }))).toEqual(parts);
  });

  it.each<[number, number, string]>([
    [6_000, 4_000, 'photo'],
    [6_000, 4_001, 'document'],
    [400, 20, 'photo'],
    [401, 20, 'document'],
  ])('on telegram: a picture of %d × %d is a %s', (width, height, form) => {
    // Documents and photos are never one album.
    const parts = shown(planTelegram({ text: '', files: [{ ...photo('a'), width, height }, photo('b')] }));
    expect(parts).toEqual(form === 'photo' ? ['[a b]'] : ['[a]', '[b]']);
  });

  it('continue a long text after the caption, without breaking a code block', () => {
    const text = `${'a'.repeat(1_000)}\n\`\`\`js\n${'let x;\n'.repeat(20)}\`\`\``;
    const [caption, rest, ...more] = shown(planTelegram({ text, files: [photo()] }));
    expect(more).toEqual([]);
    expect(caption!.length).toBeLessThanOrEqual(1_024 + '[p]'.length);
    expect(rest).toMatch(/^```js\n/);
    const long = shown(planWhatsApp({ text: 'word '.repeat(1_020), files: [photo()] }));
    expect(long).toHaveLength(2);
  });
});
