import type { Attachment, Platform } from '#contracts';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { content, upload } from '../../support/media';
import { OGG_OPUS } from '../../support/ogg-opus';
import { png } from '../../support/png';

interface Sent {
  message_id: string;
  status: string;
  error?: { code: string; message: string; retryable: boolean };
}
interface Step {
  step: string;
  data: { parts?: { index: number }[] };
}

const FILES: readonly [filename: string, bytes: Buffer][] = [
  ['a.png', png(30, 20, 500)],
  ['b.png', png(20, 30, 500)],
  ['c.pdf', Buffer.from('%PDF-1.4\n')],
  ['d.ogg', OGG_OPUS],
];

describe('A sandbox send with files', () => {
  const gateway = useGateway();

  const api = <Data>(method: string, path: string, body?: object) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const uploaded = async (filename: string, bytes: Buffer) =>
    (await upload(gateway, bytes, { filename, key: gateway.testKey })).body.data;
  const send = async (platform: Platform, attachments: readonly Attachment[], message = 'Here they are.') =>
    (
      await api<Sent>('POST', '/messages/send', {
        platform,
        recipient: '4915112345678',
        message,
        attachments: attachments.map(({ id }) => ({ id })),
      })
    ).body.data;

  it.each<[Platform, number]>([
    // The photos are an album. Telegram takes the sound in Ogg as a voice message only, which is in no album.
    ['telegram', 3],
    // A message for each file.
    ['whatsapp', 4],
    // All files and the text are one message.
    ['discord', 1],
  ])('stores what %s would have sent: caption, files and %i messages', async (platform, messages) => {
    const files = await Promise.all(FILES.map(([filename, bytes]) => uploaded(filename, bytes)));
    const { message_id, status } = await send(platform, files);
    expect(status).toBe('sent');
    const path = `/messages/${message_id}`;
    const read = await eventually('it is delivered', async () => {
      const { data } = (await api<{ content: string; status: string; attachments: Attachment[] }>('GET', path)).body;
      expect(data.status).toBe('delivered');
      return data;
    });
    expect(read).toMatchObject({ content: 'Here they are.', attachments: files });
    for (const [index, { id }] of read.attachments.entries())
      expect((await content(gateway, id, {}, gateway.testKey)).bytes.equals(FILES[index]![1])).toBe(true);
    const steps = (await api<Step[]>('GET', `${path}/timeline`)).body.data;
    expect(steps.find(({ step }) => step === 'sent')!.data.parts!.map(({ index }) => index)).toEqual(
      Array.from({ length: messages }, (_, index) => index),
    );
  });

  it('fails with a reason before it sends anything, if the platform would reject a file', async () => {
    const files = [
      await uploaded('a.png', png()),
      await uploaded('b.zip', Buffer.from('PK\x03\x04 packed and not a document')),
    ];
    expect((await send('telegram', files)).status).toBe('sent');
    const { message_id, status, error } = await send('whatsapp', files);
    expect([status, error]).toMatchObject(['failed', { code: 'content_rejected', retryable: false }]);
    expect(error!.message).toBe('b.zip: WhatsApp does not accept files of the type application/zip.');
    const events = await gateway.sql<{ type: string }>(`SELECT type FROM events WHERE body LIKE $1`, [
      `%${message_id}%`,
    ]);
    expect(events).toEqual([{ type: 'message.failed' }]);
    const steps = (await api<Step[]>('GET', `/messages/${message_id}/timeline`)).body.data;
    expect(steps.map(({ step }) => step)).not.toContain('sent');
  });
});
