import type { Attachment } from '#contracts';
import { TelegramFake } from '../../fakes/telegram.fake';
import { EventSourceClient } from '../../support/event-source';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { png } from '../../support/png';

interface Told {
  id: string;
  type: string;
  data: { attachment: Attachment };
}

describe('attachment.* events', () => {
  const telegram = new TelegramFake();
  const gateway = useGateway({ telegram });
  let readers: string;
  let others: string;
  const streams: EventSourceClient[] = [];

  beforeAll(async () => {
    readers = await gateway.createKey({ scopes: ['read:messages'] });
    others = await gateway.createKey({ scopes: ['read:status', 'read:conversations', 'write:messages'] });
  });
  afterAll(() => {
    for (const stream of streams) stream.close();
  });

  const open = async (key: string, path?: string) => {
    const stream = await EventSourceClient.open(gateway.url, key, path);
    streams.push(stream);
    return stream;
  };
  const photo = (bytes: Buffer, caption: string) => {
    const file_id = telegram.addFile(bytes);
    const about = { file_id, file_unique_id: caption, width: 1, height: 1, file_size: bytes.length };
    telegram.receiveContent(7, { photo: [about], caption });
    return file_id;
  };

  it('need read:messages: in a stream that names them, in one that does not, and in GET /events/{id}', async () => {
    for (const types of ['attachment.stored', 'attachment.failed', 'attachment.*', 'message.received,attachment.*']) {
      const refused = await open(others, `/events/stream?types=${types}`);
      expect(refused.status).toBe(403);
      const { error } = await refused.refusal();
      expect(error).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        details: { required_scope: 'read:messages' },
      });
    }
    const [named, all, without] = [
      await open(readers, '/events/stream?types=attachment.*'),
      await open(readers),
      await open(others),
    ];
    photo(png(), 'stored');
    telegram.expireFile(photo(png(), 'expired'));
    const told = await eventually('the stream tells how both ended', () => {
      expect(named.types.toSorted()).toEqual(['attachment.failed', 'attachment.stored']);
      return named.events.map(({ data }) => JSON.parse(data) as Told);
    });
    const ends = new Map(told.map(({ type, data }) => [type, data.attachment.status]));
    expect(Object.fromEntries(ends)).toEqual({ 'attachment.failed': 'expired', 'attachment.stored': 'stored' });
    await eventually('a stream that names no types has them as well', () =>
      expect(all.types).toEqual(expect.arrayContaining(['attachment.failed', 'attachment.stored'])),
    );
    for (const { id, type } of told) {
      expect((await gateway.api<Told>('GET', `/events/${id}`, undefined, { key: readers })).body.data.type).toBe(type);
      const { status, body } = await gateway.api('GET', `/events/${id}`, undefined, { key: others });
      expect([status, body.error.details?.['required_scope']]).toEqual([403, 'read:messages']);
    }
    // A later event of a type that the key may see: those before it are not on their way any more.
    await gateway.api('PATCH', `/conversations/${await conversation()}`, { ai_paused: true });
    await eventually('the other stream goes on', () => expect(without.types).toContain('conversation.handover_taken'));
    expect(without.types.filter((type) => /^(?:attachment|message)[.]/.test(type))).toEqual([]);
  });

  const conversation = async () => (await gateway.api<{ id: string }[]>('GET', '/conversations')).body.data[0]!.id;
});
