import { expectedAccount } from '../../support/expected';
import type { Attachment } from '#contracts';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { content, sha256, upload } from '../../support/media';
import { OGG_OPUS } from '../../support/ogg-opus';
import { png } from '../../support/png';

interface Shown {
  id: string;
  content: string;
  conversation_id: string;
  attachments: Attachment[];
}

const telegram = new TelegramFake();
const gateway = useGateway({ telegram });
let chats = 100;

/** A person sends a photo in a chat of its own. @returns the caption, by which the message is found */
function photo(bytes: Buffer, announced = bytes.length): { caption: string; fileId: string } {
  const chat = (chats += 1);
  const file_id = telegram.addFile(bytes);
  telegram.receiveContent(chat, {
    photo: [{ file_id, file_unique_id: String(chat), width: 640, height: 480, file_size: announced }],
    caption: `photo of ${chat}`,
  });
  return { caption: `photo of ${chat}`, fileId: file_id };
}

/** The message with a caption, once its attachment has a status. */
function messageWith(caption: string, status: string): Promise<Shown> {
  return eventually(`the file of "${caption}" is ${status}`, async () => {
    const { body } = await gateway.api<Shown[]>('GET', '/messages?expand=details&per_page=100');
    const found = body.data.find((message) => message.content.endsWith(caption));
    expect(found?.attachments.map((attachment) => attachment.status)).toEqual([status]);
    return found!;
  });
}

async function eventsOf(messageId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await gateway.sql<{ body: string }>(`SELECT body FROM events WHERE body LIKE $1 ORDER BY id`, [
    `%${messageId}%`,
  ]);
  const events = rows.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  return events.filter(({ type }) => !type.startsWith('ai.'));
}

describe('A file of an inbound message', () => {
  it('is fetched after its message is stored, and shown with the message everywhere', async () => {
    const bytes = png(640, 480, 40_000);
    const { caption } = photo(bytes);
    const message = await messageWith(caption, 'stored');
    const [attachment] = message.attachments;
    expect(attachment).toMatchObject({
      kind: 'image',
      mime_type: 'image/png',
      size_bytes: 40_000,
      sha256: sha256(bytes),
      width: 640,
      height: 480,
      status: 'stored',
      reason: null,
    });
    expect((await content(gateway, attachment!.id)).bytes.equals(bytes)).toBe(true);
    const single = await gateway.api<Shown>('GET', `/messages/${message.id}`);
    const path = `/conversations/${message.conversation_id}?include_messages=true`;
    const conversation = await gateway.api<{ messages: Shown[] }>('GET', path);
    expect([single.body.data.attachments, conversation.body.data.messages[0]!.attachments]).toEqual([
      [attachment],
      [attachment],
    ]);
    const plain = await gateway.api<Shown[]>('GET', '/messages');
    expect(plain.body.data[0]).not.toHaveProperty('attachments');
    const [received, stored, ...more] = await eventsOf(message.id);
    expect([received!.type, stored!.type, more]).toEqual(['message.received', 'attachment.stored', []]);
    expect(received!.data['attachments']).toEqual([
      { ...attachment, status: 'pending', mime_type: null, sha256: null },
    ]);
    expect(stored!.data).toEqual({
      environment: 'live',
      platform: 'telegram',
      account: expectedAccount(),
      message_id: message.id,
      conversation_id: message.conversation_id,
      attachment,
    });
  });

  it.each([
    ['503 of the look-up', { method: 'getFile', status: 503 }],
    ['503 of the download', { method: 'file', status: 503 }],
    ['connection that breaks', { method: 'file', kind: 'cut' }],
    ['length that is wrong', { method: 'file', kind: 'truncate' }],
    ['429 of the look-up', { method: 'getFile', status: 429, retryAfter: 1 }],
    ['429 of the download', { method: 'file', status: 429, headers: { 'retry-after': '1' } }],
  ] as const)('is fetched again after a %s', async (_name, fault) => {
    telegram.fail(fault);
    const bytes = png(1, 1, 20_000);
    const { caption } = photo(bytes);
    const { attachments, id } = await messageWith(caption, 'stored');
    expect(attachments[0]!.sha256).toBe(sha256(bytes));
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['message.received', 'attachment.stored']);
  });

  it('is expired if the platform no longer has it', async () => {
    telegram.fail({ method: 'getFile', status: 503 });
    const { caption, fileId } = photo(png());
    telegram.expireFile(fileId);
    const { attachments, id } = await messageWith(caption, 'expired');
    expect(attachments[0]).toMatchObject({ status: 'expired', reason: 'platform', sha256: null });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['message.received', 'attachment.failed']);
    expect((await content(gateway, attachments[0]!.id)).status).toBe(404);
  });

  it('is too_large above media.max_bytes, and failed above media.quota_bytes', async () => {
    const set = (media: object) => gateway.api('PATCH', '/admin/settings', { media });
    await set({ max_bytes: 1_000 });
    const large = await messageWith(photo(png(1, 1, 1_001)).caption, 'too_large');
    expect(large.attachments[0]).toMatchObject({ reason: 'max_bytes' });
    // The platform says that it is short, and sends more.
    const liar = await messageWith(photo(png(1, 1, 2_000), 10).caption, 'too_large');
    expect(liar.attachments[0]).toMatchObject({ reason: 'max_bytes', sha256: null });
    await set({ max_bytes: 100_000, quota_bytes: 1 });
    const full = await messageWith(photo(png(1, 1, 900)).caption, 'failed');
    expect(full.attachments[0]).toMatchObject({ reason: 'quota' });
    const { body } = await upload(gateway, png());
    expect(body.error).toMatchObject({ code: 'INVALID_REQUEST', details: { reason: 'the media quota is used up' } });
    await set({ quota_bytes: 10_000_000_000 });
  });

  it.each([
    ['too short', 10],
    ['too long', 2_000_000_000],
  ])('is stored although the platform announces a length that is %s', async (_, told) => {
    const bytes = png(1, 1, 20_000);
    const chat = (chats += 1);
    const caption = `told ${told}`;
    const file_id = telegram.addFile(bytes, { told });
    telegram.receiveContent(chat, {
      photo: [{ file_id, file_unique_id: caption, width: 1, height: 1, file_size: told }],
      caption,
    });
    const { attachments } = await messageWith(caption, 'stored');
    expect(attachments[0]).toMatchObject({ size_bytes: bytes.length, sha256: sha256(bytes) });
  });

  it('is too_large by its bytes, although the platform announced a small length', async () => {
    const set = (media: object) => gateway.api('PATCH', '/admin/settings', { media });
    await set({ max_bytes: 10_000 });
    const caption = 'larger than told';
    const file_id = telegram.addFile(png(1, 1, 20_000), { told: 10 });
    telegram.receiveContent((chats += 1), {
      photo: [{ file_id, file_unique_id: caption, width: 1, height: 1, file_size: 10 }],
      caption,
    });
    const { attachments } = await messageWith(caption, 'too_large');
    expect(attachments[0]).toMatchObject({ reason: 'max_bytes', sha256: null });
    await set({ max_bytes: 26_214_400 });
  });

  it('that contains sound is audio, even if the platform calls it a document', async () => {
    const caption = 'sound as a file';
    const document = { file_id: telegram.addFile(OGG_OPUS), file_unique_id: caption, file_name: 'notes.pdf' };
    telegram.receiveContent((chats += 1), { document, caption });
    const { attachments } = await messageWith(caption, 'stored');
    expect(attachments[0]).toMatchObject({ kind: 'audio', mime_type: 'audio/ogg' });
  });

  it('with a picture of absurd dimensions is stored without them, fetched once, and does not affect the health', async () => {
    const caption = 'an absurd size';
    const bytes = png(2 ** 31, 1, 70);
    const file_id = telegram.addFile(bytes);
    const document = { file_id, file_unique_id: caption, file_size: bytes.length };
    telegram.receiveContent((chats += 1), { document, caption });
    const { attachments } = await messageWith(caption, 'stored');
    expect(attachments[0]).toMatchObject({ kind: 'image', size_bytes: 70, width: null, height: null });
    await messageWith(photo(png()).caption, 'stored');
    const fetched = telegram.requests.filter(({ operation, path }) => operation === 'file' && path.includes(file_id));
    expect(fetched).toHaveLength(1);
    const status = await gateway.api<{ status: string; components: { workers: string } }>('GET', '/status');
    expect([status.body.data.status, status.body.data.components.workers]).toEqual(['healthy', 'healthy']);
  });

  it('is not shown backwards: neither its name nor the text with its name keeps U+202E', async () => {
    const caption = 'with a turned name';
    const document = {
      file_id: telegram.addFile(Buffer.from('text')),
      file_unique_id: caption,
      file_name: 'bill\u202efdp.exe',
    };
    telegram.receiveContent((chats += 1), { document, caption });
    const { attachments, content: shown } = await messageWith(caption, 'stored');
    expect(attachments[0]!.filename).toBe('billfdp.exe');
    expect(shown).toContain('billfdp.exe');
    expect(shown).not.toContain('\u202e');
  });

  it('has the kind of its first bytes, not the one the platform says', async () => {
    const { caption } = photo(Buffer.from('<html><script>alert(1)</script>'));
    const { attachments } = await messageWith(caption, 'stored');
    expect(attachments[0]).toMatchObject({ kind: 'document', mime_type: 'text/html' });
  });

  it('is stored once, even if the platform sends its message again during and after the fetch', async () => {
    const bytes = png(2, 2, 20_000);
    const file_id = telegram.addFile(bytes);
    const about = { file_id, file_unique_id: 'again', width: 2, height: 2, file_size: bytes.length };
    const fetched = telegram.requestsOf('file').length;
    const open = Promise.withResolvers<void>();
    telegram.holdBack(open.promise, 'getFile');
    const { message } = telegram.receiveContent(91, { photo: [about], caption: 'brought again' }) as unknown as {
      message: object;
    };
    telegram.receive({ message });
    const { attachments } = await messageWith('brought again', 'pending');
    expect((await content(gateway, attachments[0]!.id)).status).toBe(404);
    open.resolve();
    const { id } = await messageWith('brought again', 'stored');
    telegram.receive({ message });
    telegram.receiveText({ chatId: 91, text: 'the end' });
    await eventually('what came last is stored', async () => {
      const { body } = await gateway.api<Shown[]>('GET', '/messages?per_page=100');
      expect(body.data.filter(({ content: text }) => text === 'the end')).toHaveLength(1);
      expect(body.data.filter(({ content: text }) => text.endsWith('brought again'))).toHaveLength(1);
    });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['message.received', 'attachment.stored']);
    expect(telegram.requestsOf('file')).toHaveLength(fetched + 1);
  });

  it.each([
    ['a path', '../../etc/passwd', 'passwd'],
    ['lines of a header', 'a\r\nContent-Type: text/html\u0000.pdf', 'html.pdf'],
    ['3,000 characters', `${'n'.repeat(3_000)}.pdf`, `${'n'.repeat(251)}.pdf`],
  ])('has a sanitised name, whatever the platform sends: %s', async (_, file_name, cleaned) => {
    const bytes = Buffer.from(`%PDF-1.4 ${file_name.length}`);
    const caption = `called ${file_name.length}`;
    const document = { file_id: telegram.addFile(bytes), file_unique_id: caption, file_name, file_size: bytes.length };
    telegram.receiveContent((chats += 1), { document, caption });
    const { attachments } = await messageWith(caption, 'stored');
    expect(attachments[0]).toMatchObject({ kind: 'document', filename: cleaned, mime_type: 'application/pdf' });
  });

  it('with a voice message stays one when it is forwarded', async () => {
    const chat = (chats += 1);
    const voice = { file_id: telegram.addFile(OGG_OPUS), file_unique_id: 'voice', duration: 3 };
    telegram.receiveContent(chat, { voice, caption: 'spoken' });
    const { attachments } = await messageWith('spoken', 'stored');
    expect(attachments[0]).toMatchObject({ kind: 'voice', mime_type: 'audio/ogg', duration_seconds: 3 });
    const body = { platform: 'telegram', recipient: String(chat), attachments: [{ id: attachments[0]!.id }] };
    expect((await gateway.api<{ status: string }>('POST', '/messages/send', body)).body.data.status).toBe('sent');
    const { kind, filename, type, bytes } = telegram.sent.at(-1)!.file!;
    expect([kind, filename, type, bytes.equals(OGG_OPUS)]).toEqual(['voice', 'voice.ogg', 'audio/ogg', true]);
  });

  it('has no bytes if it is a location or a contact', async () => {
    telegram.receiveContent(90, { location: { latitude: 52.5, longitude: 13.4 } });
    await eventually('the location is stored', async () => {
      const { body } = await gateway.api<Shown[]>('GET', '/messages?expand=details&per_page=1');
      expect(body.data[0]!.attachments).toMatchObject([{ kind: 'location', status: 'stored', sha256: null }]);
    });
    telegram.receiveContent(90, { contact: { phone_number: '+4930123456', first_name: 'Ada' } });
    await eventually('the contact is stored', async () => {
      const { body } = await gateway.api<Shown[]>('GET', '/messages?expand=details&per_page=1');
      expect(body.data[0]!.attachments).toMatchObject([{ kind: 'contact', status: 'stored', sha256: null }]);
    });
  });
});
