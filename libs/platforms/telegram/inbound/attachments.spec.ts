import type { TelegramMessage } from '@gramio/types/objects';
import { attachmentsOf } from './attachments';

const size = (file_id: string, width: number) => ({ file_id, width, height: width, file_size: width * 10 });

describe(attachmentsOf.name, () => {
  it.each<[string, object, object[]]>([
    [
      'the largest size of a photo',
      { photo: [size('s', 90), size('l', 800), size('m', 320)] },
      [{ kind: 'image', ref: 'l', mimeType: 'image/jpeg', sizeBytes: 8_000, width: 800, height: 800 }],
    ],
    [
      'a voice message',
      { voice: { file_id: 'v', duration: 3, mime_type: 'audio/ogg', file_size: 99 } },
      [{ kind: 'voice', ref: 'v', mimeType: 'audio/ogg', sizeBytes: 99, durationSeconds: 3 }],
    ],
    [
      'an animation, which is a document too',
      { animation: { file_id: 'a', width: 4, height: 3, duration: 1, file_name: 'a.mp4' }, document: { file_id: 'd' } },
      [{ kind: 'video', ref: 'a', filename: 'a.mp4', width: 4, height: 3, durationSeconds: 1 }],
    ],
    [
      'a round video',
      { video_note: { file_id: 'r', length: 240 } },
      [{ kind: 'video', ref: 'r', width: 240, height: 240 }],
    ],
    [
      'a document',
      { document: { file_id: 'd', file_name: 'bill.pdf', mime_type: 'application/pdf', file_size: '7' } },
      [{ kind: 'document', ref: 'd', filename: 'bill.pdf', mimeType: 'application/pdf' }],
    ],
    ['a sticker', { sticker: { file_id: 'w' } }, [{ kind: 'sticker', ref: 'w', mimeType: 'image/webp' }]],
    [
      'a video sticker',
      { sticker: { file_id: 'w', is_video: true } },
      [{ kind: 'sticker', ref: 'w', mimeType: 'video/webm' }],
    ],
    ['a location', { location: { latitude: 1, longitude: 2 } }, [{ kind: 'location' }]],
    ['a venue', { venue: { title: 'x' }, location: { latitude: 1, longitude: 2 } }, [{ kind: 'location' }]],
    ['a contact', { contact: { first_name: 'Ada' } }, [{ kind: 'contact' }]],
    ['nothing in a text', { text: 'Hello' }, []],
    ['nothing in a file without an id', { photo: [{}], document: {} }, []],
  ])('finds %s', (_, message, attachments) => {
    expect(attachmentsOf(message as TelegramMessage)).toEqual(attachments);
  });
});
