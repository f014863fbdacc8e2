import type { CancelledMessageDto, MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { expectedError, expectedSuccess } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('a scheduled send', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ telegram, anthropic });

  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const send = (recipient: string, sendAt: string, more: object = {}, headers: Record<string, string> = {}) =>
    gateway.api<SendResultDto>(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient, message: `to ${recipient}`, send_at: sendAt, ...more },
      { headers },
    );
  const cancel = (id: string) => gateway.api<CancelledMessageDto>('DELETE', `/messages/${id}`);
  const read = async (id: string) => (await gateway.api<MessageDto>('GET', `/messages/${id}`)).body.data;
  const sentTo = (recipient: string) => telegram.sent.filter(({ chat_id }) => String(chat_id) === recipient);
  const eventsOf = (id: string) =>
    gateway.sql(`SELECT type FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = $1 ORDER BY created_at, id`, [
      id,
    ]);

  it('waits as `scheduled`, goes within five seconds of its time, and once', async () => {
    const at = inMs(1_500);
    const { status, body } = await send('1', at);
    expect([status, body.data]).toEqual([
      200,
      {
        message_id: expect.stringMatching(/^msg_/) as string,
        platform: 'telegram',
        recipient: '1',
        status: 'scheduled',
        sent_at: null,
        send_at: at,
      },
    ]);
    const id = body.data.message_id;
    expect(await read(id)).toMatchObject({ status: 'scheduled', send_at: at, delivered_at: null });
    expect(await eventsOf(id)).toEqual([]);
    expect(sentTo('1')).toEqual([]);
    await eventually('it is delivered', async () => expect((await read(id)).status).toBe('delivered'));
    const lateMs = Date.parse((await read(id)).delivered_at!) - Date.parse(at);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(5_000);
    expect(sentTo('1')).toHaveLength(1);
    expect(await eventsOf(id)).toEqual([{ type: 'message.sent' }, { type: 'message.delivered' }]);
    expect(await gateway.sql('SELECT 1 FROM scheduled_sends UNION ALL SELECT 1 FROM message_tasks')).toEqual([]);
  });

  it('is cancelled, as often as it is asked for, and never goes', async () => {
    const { message_id: id } = (await send('2', inMs(1_000))).body.data;
    for (let time = 0; time < 2; time++)
      expect(await cancel(id)).toMatchObject({ status: 200, body: expectedSuccess({ id, status: 'cancelled' }) });
    const { message_id: later } = (await send('3', inMs(1_200))).body.data;
    await eventually('a later one is sent', async () => expect((await read(later)).status).toBe('delivered'));
    expect(await read(id)).toMatchObject({ status: 'cancelled', error: null });
    expect(sentTo('2')).toEqual([]);
    expect(await cancel(later)).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: 'only a scheduled message can be cancelled; this one is delivered' }),
    );
    telegram.receiveText({ chatId: 3, text: 'Hello' });
    const inbound = await eventually('a person has written', async () => {
      const { body } = await gateway.api<MessageDto[]>('GET', '/messages?status=received');
      expect(body.data).toHaveLength(1);
      return body.data[0]!.id;
    });
    expect(await cancel(inbound)).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: 'only a scheduled message can be cancelled; this one is received' }),
    );
    expect(await cancel('msg_01h455vb4pex5vsknk084sn02q')).toMatchObject({ status: 404 });
    expect((await gateway.api('DELETE', `/messages/${id}`, undefined, { key: gateway.testKey })).status).toBe(404);
  });

  it('is either cancelled or sent, when both happen at once', async () => {
    const at = inMs(4_000);
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await send(`${100 + n}`, at)).body.data.message_id),
    );
    await eventually('its time comes', () => expect(Date.now()).toBeGreaterThan(Date.parse(at) - 20));
    const cancelled = await Promise.all(ids.map(async (id) => (await cancel(id)).status === 200));
    await eventually('each is decided', async () => {
      const statuses = await Promise.all(ids.map(async (id) => (await read(id)).status));
      expect(statuses).toEqual(cancelled.map((is) => (is ? 'cancelled' : 'delivered')));
    });
    expect(ids.map((_, n) => sentTo(`${100 + n}`).length)).toEqual(cancelled.map((is) => (is ? 0 : 1)));
  });

  it.each([
    [() => inMs(-MINUTE_MS), 'must not be in the past'],
    [() => inMs(30 * DAY_MS + MINUTE_MS), 'must be at most 30 days ahead'],
    [() => 'tomorrow', 'must be an ISO 8601 date, or a timestamp with its offset from UTC'],
  ])('is refused for a time that %# is wrong', async (at, reason) => {
    expect(await send('4', at())).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'send_at', reason } } },
    });
  });

  it('is refused for a platform that is not configured, and is stored for one that is connecting', async () => {
    const other = { platform: 'discord', recipient: '1153278643296538685' };
    expect(await send('5', inMs(DAY_MS), other)).toMatchObject({
      status: 400,
      body: { error: { code: 'PLATFORM_NOT_CONNECTED' } },
    });
    const { message_id } = (await send('5', inMs(29 * DAY_MS))).body.data;
    expect((await cancel(message_id)).status).toBe(200);
  });

  it('fails at once if its file cannot be fetched', async () => {
    const { body } = await send('9', inMs(DAY_MS), { attachments: [{ url: 'https://files.invalid/a.png' }] });
    const failed = { status: 'failed', error: { code: 'attachment_unavailable' } };
    expect(body).toMatchObject({ data: failed });
    expect(await read(body.data.message_id)).toMatchObject({ ...failed, send_at: null });
  });

  it('is stored once under its Idempotency-Key', async () => {
    const at = inMs(DAY_MS);
    const headers = { 'idempotency-key': 'scheduled' };
    const [first, second] = [await send('6', at, {}, headers), await send('6', at, {}, headers)];
    expect(second.body.data).toEqual(first.body.data);
    expect((await gateway.sql(`SELECT 1 FROM scheduled_sends`)).length).toBe(1);
    await cancel(first.body.data.message_id);
  });

  it('is not part of the context of an answer before it is sent, nor once it is cancelled', async () => {
    const chat = { id: 7, first_name: 'Ada' };
    const { message_id } = (await send('7', inMs(DAY_MS), { message: 'A reminder' })).body.data;
    const asked = (n: number) =>
      eventually(`question ${n} is asked`, () => expect(anthropic.requestsOf('messages')).toHaveLength(n));
    telegram.receiveText({ chatId: 7, text: 'Hello', from: chat });
    await asked(1);
    await cancel(message_id);
    telegram.receiveText({ chatId: 7, text: 'Hello again', from: chat });
    await asked(2);
    expect(JSON.stringify(anthropic.requestsOf('messages').map(({ body }) => body))).not.toContain('A reminder');
  });

  it('counts as a message of its conversation and of the lists', async () => {
    const { message_id } = (await send('8', inMs(DAY_MS))).body.data;
    await cancel(message_id);
    const { conversation_id } = await read(message_id);
    const list = await gateway.api<unknown[]>('GET', `/messages?conversation_id=${conversation_id}`);
    expect(list.body.meta.pagination.total).toBe(1);
    const conversation = await gateway.api<{ message_count: number }>('GET', `/conversations/${conversation_id}`);
    expect(conversation.body.data.message_count).toBe(1);
  });

  it('is played by the sandbox', async () => {
    const body = { platform: 'whatsapp', recipient: '49170', message: 'Hi', send_at: inMs(500) };
    const key = gateway.testKey;
    const { message_id: id } = (await gateway.api<SendResultDto>('POST', '/messages/send', body, { key })).body.data;
    await eventually('it is delivered', async () => {
      expect((await gateway.api<MessageDto>('GET', `/messages/${id}`, undefined, { key })).body.data.status).toBe(
        'delivered',
      );
    });
  });
});
