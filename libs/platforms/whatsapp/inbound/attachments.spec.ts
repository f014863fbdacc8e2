import { attachmentsOf } from './attachments';

describe(attachmentsOf.name, () => {
  it.each<[string, object, object[]]>([
    ['a photo', { image: { id: '1', mime_type: 'image/jpeg' } }, [{ kind: 'image', ref: '1', mimeType: 'image/jpeg' }]],
    [
      'a voice message',
      { audio: { id: '2', mime_type: 'audio/ogg; codecs=opus', voice: true } },
      [{ kind: 'voice', ref: '2', mimeType: 'audio/ogg' }],
    ],
    ['an audio file', { audio: { id: '3' } }, [{ kind: 'audio', ref: '3' }]],
    ['a document', { document: { id: '4', filename: 'a.pdf' } }, [{ kind: 'document', ref: '4', filename: 'a.pdf' }]],
    ['a location', { location: { latitude: 1, longitude: 2 } }, [{ kind: 'location' }]],
    ['contacts', { contacts: [{ name: {} }, { name: {} }] }, [{ kind: 'contact' }, { kind: 'contact' }]],
    ['nothing in a text', { text: { body: 'Hello' } }, []],
    ['no bytes where the id is missing', { sticker: {} }, [{ kind: 'sticker' }]],
  ])('finds %s', (_, content, attachments) => {
    expect(attachmentsOf({ type: Object.keys(content)[0], ...content })).toEqual(attachments);
  });
});
