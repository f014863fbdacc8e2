import type { EventData } from '#contracts';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto, MessageListItemDto } from '../../../src/messages/dto/message.dto';
import type { SandboxInboundResultDto } from '../../../src/messages/sandbox/sandbox-inbound.dto';
import { eventually } from '../../support/eventually';
import { anId, expectedError, expectedAccount } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const ADA = { id: '4711', name: 'Ada', username: 'ada' };
const ORDER = {
  order: {
    catalog_id: '77',
    items: [{ product_id: 'SKU-9', quantity: 2, price: 12.5, currency: 'EUR' }],
    total: 25,
  },
};

describe('A message that quotes another one', () => {
  const gateway = useGateway();

  const api = async <Data>(method: string, path: string, body?: object) =>
    (await gateway.api<Data>(method, path, body, { key: gateway.testKey })).body.data;
  const play = (body: object) =>
    api<SandboxInboundResultDto>('POST', '/sandbox/inbound', { platform: 'telegram', sender: ADA, ...body });
  const write = async (body: object) => (await play(body)).message_id!;
  const read = (id: string) => api<MessageDto>('GET', `/messages/${id}`);
  const received = async (id: string) => {
    const [event] = await gateway.sql<{ data: EventData<'message.received'> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events
       WHERE type = 'message.received' AND body::jsonb -> 'data' ->> 'message_id' = $1`,
      [id],
    );
    return event!.data;
  };

  beforeAll(() => api('PATCH', '/admin/settings', { ai: { auto_reply: false } }));

  it('shows it with author and text, in every read and in the event', async () => {
    const quoted = await write({ content: 'x'.repeat(400) });
    const id = await write({ content: 'Still right?', reply_to: quoted });
    const reply_to = { message_id: quoted, sender: ADA, content: `${'x'.repeat(299)}…` };
    const details = { sender: ADA, data: null, reply_to, edited_at: null, deleted_at: null };
    const message = await read(id);
    expect(message).toMatchObject(details);
    expect(await received(id)).toMatchObject({ sender: ADA, data: null, reply_to });
    const list = await api<MessageListItemDto[]>('GET', '/messages?expand=details&per_page=1');
    expect(list).toEqual([message]);
    const { messages } = await api<ConversationDto>(
      'GET',
      `/conversations/${message.conversation_id}?include_messages=true`,
    );
    expect(messages!.at(-1)).toEqual({
      id,
      direction: 'inbound',
      content: 'Still right?',
      sent_by: null,
      created_at: message.created_at,
      attachments: [],
      ...details,
    });
  });

  it('shows a message of the business, and a sent message shows the one it answers', async () => {
    const send = (message: string, options = {}) =>
      api<{ message_id: string }>('POST', '/messages/send', {
        platform: 'telegram',
        recipient: ADA.id,
        message,
        options,
      });
    const { message_id: offer } = await send('Delivery is free above 50 euro.');
    const id = await write({ content: 'Is that still true?', reply_to: offer });
    const reply_to = { message_id: offer, sender: null, content: 'Delivery is free above 50 euro.' };
    expect(await read(id)).toMatchObject({ reply_to });
    const { message_id: answer } = await send('Yes.', { reply_to: id });
    expect(await read(answer)).toMatchObject({
      sender: null,
      reply_to: { message_id: id, sender: ADA, content: 'Is that still true?' },
    });
  });

  it('hides a message that its author deleted', async () => {
    const secret = await write({ content: 'My password is hunter2' });
    const id = await write({ content: 'Forget it', reply_to: secret });
    await play({ change: { message_id: secret } });
    expect((await read(id)).reply_to).toEqual({ message_id: secret, sender: ADA, content: '[message deleted]' });
  });

  it('may quote only a message of its own conversation', async () => {
    const other = await write({ content: 'Hello', sender: { id: '4712' } });
    const body = { platform: 'telegram', sender: ADA, content: 'Hm', reply_to: other };
    expect(await gateway.api('POST', '/sandbox/inbound', body, { key: gateway.testKey })).toMatchObject(
      expectedError('INVALID_PARAMETER', {
        parameter: 'reply_to',
        reason: 'must be the id of a message of this conversation',
        value: other,
      }),
    );
  });

  it('loses the quotation, data and author with an erasure', async () => {
    const sender = { id: '4713', name: 'Ben', username: null };
    const first = await play({ sender, content: 'Order', data: ORDER });
    const id = await write({ sender, content: 'That one', reply_to: first.message_id });
    expect(await read(first.message_id!)).toMatchObject({ sender, data: ORDER });
    await api('DELETE', `/conversations/${first.conversation_id}`);
    const erased = { content: '', sender: null, data: null, reply_to: null };
    await eventually('both are erased', async () => {
      for (const one of [first.message_id!, id]) expect(await read(one)).toMatchObject(erased);
    });
  });
});

describe('The data of a message', () => {
  const gateway = useGateway();

  const play = (body: object) =>
    gateway.api<SandboxInboundResultDto>(
      'POST',
      '/sandbox/inbound',
      { platform: 'whatsapp', sender: { id: '4917' }, content: 'Order', ...body },
      { key: gateway.testKey },
    );
  const dataOf = async (id: string) =>
    (await gateway.api<MessageDto>('GET', `/messages/${id}`, undefined, { key: gateway.testKey })).body.data.data;

  it('is shown as sent, up to 16 KiB', async () => {
    const { message_id: id } = (await play({ data: ORDER })).body.data;
    expect(await dataOf(id!)).toEqual(ORDER);
    const [item] = ORDER.order.items;
    const items = Array.from({ length: 100 }, (_, index) => ({ ...item!, product_id: `${'x'.repeat(250)}${index}` }));
    const long = (await play({ data: { order: { ...ORDER.order, items } } })).body.data.message_id;
    const { order } = (await dataOf(long!))!;
    expect(order!.items).toEqual(items.slice(0, order!.items.length));
    expect(Buffer.byteLength(JSON.stringify({ order }))).toBeLessThanOrEqual(16_384);
    expect(order!.items.length).toBeGreaterThan(40);
  });

  it('has the documented schema', async () => {
    for (const data of [{ order: { items: 1 } }, { other: {} }, { product: { catalog_id: 7 } }, [], 'x'])
      expect(await play({ data })).toMatchObject({ status: 400 });
  });
});

describe('An edit or deletion in the sandbox', () => {
  const gateway = useGateway();

  const play = (body: object) =>
    gateway.api<SandboxInboundResultDto>(
      'POST',
      '/sandbox/inbound',
      { platform: 'telegram', sender: ADA, ...body },
      { key: gateway.testKey },
    );

  it('changes the message, and is published', async () => {
    const { message_id, conversation_id } = (await play({ content: 'three crates' })).body.data;
    const change = await play({ content: 'thirteen crates', change: { message_id } });
    expect(change.body.data).toEqual({ message_id, conversation_id });
    await play({ change: { message_id } });
    const events = await gateway.sql<{ data: object }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'message.updated' ORDER BY created_at, id`,
    );
    const told = { message_id, conversation_id, platform: 'telegram', account: expectedAccount(), environment: 'test' };
    expect(events.map(({ data }) => data)).toMatchObject([
      { ...told, change: 'edited', content: 'thirteen crates' },
      { ...told, change: 'deleted', content: '[message deleted]' },
    ]);
  });

  it('is refused for a message of another person', async () => {
    const { message_id } = (await play({ content: 'Hello' })).body.data;
    const refused = { status: 400, body: { error: { code: 'INVALID_PARAMETER' } } };
    expect(await play({ sender: { id: '9' }, content: 'x', change: { message_id } })).toMatchObject(refused);
    expect(message_id).toEqual(anId('message'));
  });
});
