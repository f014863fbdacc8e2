import { StickerFormatType } from 'discord.js';
import { attachmentsOf } from './attachments';

const FILE = {
  id: '1',
  filename: 'a.png',
  size: 7,
  url: 'https://cdn/a.png?ex=1',
  proxy_url: '',
  content_type: 'image/png',
};
const READ = { kind: 'image', ref: FILE.url, mimeType: 'image/png', filename: 'a.png', sizeBytes: 7 };
type Message = Parameters<typeof attachmentsOf>[0];

describe(attachmentsOf.name, () => {
  it.each<[string, object, object[]]>([
    ['every file', { attachments: [FILE, { ...FILE, width: 3, height: 2 }] }, [READ, { ...READ, width: 3, height: 2 }]],
    [
      'a voice message',
      { flags: 1 << 13, attachments: [{ ...FILE, content_type: 'audio/ogg; codecs=opus', duration_secs: 2.5 }] },
      [{ ...READ, kind: 'voice', mimeType: 'audio/ogg', durationSeconds: 2.5 }],
    ],
    [
      'a file without a type',
      { attachments: [{ ...FILE, content_type: undefined }] },
      [{ ...READ, kind: 'document', mimeType: undefined }],
    ],
    ['the files of a forwarded message', { message_snapshots: [{ message: { attachments: [FILE] } }] }, [READ]],
    [
      'a sticker',
      { sticker_items: [{ id: '5', name: 'Wave', format_type: StickerFormatType.PNG }] },
      [{ kind: 'sticker', ref: 'https://cdn.discordapp.com/stickers/5.png', mimeType: 'image/png', filename: 'Wave' }],
    ],
    [
      'no bytes of a Lottie sticker',
      { sticker_items: [{ id: '5', name: 'Wave', format_type: 3 }] },
      [{ kind: 'sticker' }],
    ],
    ['nothing in a text', {}, []],
  ])('finds %s', (_, message, attachments) => {
    expect(attachmentsOf(message as Message)).toEqual(
      attachments.map((one) => JSON.parse(JSON.stringify(one)) as object),
    );
  });
});
