import { fromPublicId } from '#contracts';
import type { CancelledMessageDto, MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { expectedError, expectedSuccess } from '../../support/expected';
import { useGateway } from '../../support/gateway';

interface ReadConversation {
  id: string;
  status: string;
  message_count: number;
  last_message_at: string;
  messages: { content: string }[];
}

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

  beforeAll(() => gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 1_000 } }));

  it('waits as `scheduled`, and is sent once, within five seconds of its time', async () => {
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

  it('can be cancelled repeatedly, and is never sent then', async () => {
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

  it('is either cancelled or sent, if both happen at once', async () => {
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
  ])('is refused with an invalid time: %#', async (at, reason) => {
    expect(await send('4', at())).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'send_at', reason } } },
    });
  });

  it('is refused if the platform is not configured, and stored while it is connecting', async () => {
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

  it('is stored once per Idempotency-Key', async () => {
    const at = inMs(DAY_MS);
    const headers = { 'idempotency-key': 'scheduled' };
    const [first, second] = [await send('6', at, {}, headers), await send('6', at, {}, headers)];
    expect(second.body.data).toEqual(first.body.data);
    expect((await gateway.sql(`SELECT 1 FROM scheduled_sends`)).length).toBe(1);
    await cancel(first.body.data.message_id);
  });

  it('is left out of the context before it is sent, and after a cancellation', async () => {
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

  describe('in its conversation', () => {
    const conversationOf = async (id: string) => {
      const { conversation_id } = await read(id);
      const path = `/conversations/${conversation_id}?include_messages=true`;
      return (await gateway.api<ReadConversation>('GET', path)).body.data;
    };
    const totalOf = async (query: string) => {
      const { data, meta } = (await gateway.api<{ id: string }[]>('GET', `/messages?${query}`)).body;
      expect(data.length).toBe(Math.min(meta.pagination.total, 20));
      return meta.pagination.total;
    };
    const delivered = (id: string) =>
      eventually('it is delivered', async () => expect((await read(id)).status).toBe('delivered'));

    it('has no position before it is sent, gets the last one then, and reactivates the conversation', async () => {
      const first = await gateway.api<SendResultDto>('POST', '/messages/send', {
        platform: 'telegram',
        recipient: '20',
        message: 'first',
      });
      const at = inMs(3_000);
      const { message_id: later } = (await send('20', at)).body.data;
      const before = await conversationOf(first.body.data.message_id);
      expect(before).toMatchObject({ message_count: 1, messages: [{ content: 'first' }] });
      const mine = `conversation_id=${before.id}`;
      expect(await read(later)).toMatchObject({ conversation_id: before.id, status: 'scheduled' });
      expect(Math.abs(Date.parse((await read(later)).created_at) - Date.now())).toBeLessThan(60_000);
      expect([await totalOf(mine), await totalOf(`${mine}&status=scheduled`)]).toEqual([1, 1]);
      await gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: '20', message: 'second' });
      await gateway.api('PATCH', `/conversations/${before.id}`, { status: 'archived' });
      await delivered(later);
      const after = await conversationOf(later);
      expect(after).toMatchObject({
        status: 'active',
        message_count: 3,
        messages: [{ content: 'first' }, { content: 'second' }, { content: 'to 20' }],
      });
      const { created_at } = await read(later);
      expect([created_at >= at, after.last_message_at]).toEqual([true, created_at]);
      expect([await totalOf(mine), await totalOf(`${mine}&status=scheduled`)]).toEqual([3, 0]);
      expect(
        await gateway.sql('SELECT seq FROM messages WHERE conversation_id = $1 ORDER BY created_at', [
          fromPublicId('conversation', before.id),
        ]),
      ).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
    });

    it('is not the last message of its platform', async () => {
      await gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: '20', message: 'now' });
      await send('20', inMs(DAY_MS));
      const { integrations } = (
        await gateway.api<{ integrations: Record<string, { last_message: string | null }> }>('GET', '/status')
      ).body.data;
      expect(Date.parse(integrations['telegram']!.last_message!)).toBeLessThan(Date.now() + MINUTE_MS);
    });

    it('is not counted after a cancellation, and found by its status', async () => {
      const totals = async () => [
        await totalOf(''),
        await totalOf('platform=telegram'),
        await totalOf('sort=platform'),
      ];
      const statistics = async () => (await gateway.api<{ totals: object }>('GET', '/admin/stats')).body.data.totals;
      const [totalsBefore, statisticsBefore] = [await totals(), await statistics()];
      const [earlier] = (await gateway.api<{ id: string }[]>('GET', '/messages')).body.data;
      const before = await conversationOf(earlier!.id);
      const { message_id: id } = (await send('20', inMs(DAY_MS))).body.data;
      const from = new Date(Date.now() - MINUTE_MS).toISOString();
      const lists = (status: string) =>
        Promise.all(
          ['', `&start_date=${from}`, `&conversation_id=${conversation_id}`].map(async (more) =>
            (await gateway.api<{ id: string }[]>('GET', `/messages?status=${status}${more}`)).body.data.map(
              (one) => one.id,
            ),
          ),
        );
      const { conversation_id } = await read(id);
      for (const ids of await lists('scheduled')) expect(ids).toContain(id);
      expect([await totals(), await statistics()]).toEqual([totalsBefore, statisticsBefore]);
      await cancel(id);
      for (const ids of await lists('cancelled')) expect(ids).toContain(id);
      for (const ids of await lists('scheduled')) expect(ids).not.toContain(id);
      expect([await totals(), await statistics()]).toEqual([totalsBefore, statisticsBefore]);
      expect(await conversationOf(id)).toEqual(before);
    });

    it('is in the context at the position where it was sent', async () => {
      const { message_id } = (await send('22', inMs(2_500), { message: 'A reminder' })).body.data;
      const asked = anthropic.requestsOf('messages').length;
      telegram.receiveText({ chatId: 22, text: 'Before' });
      await eventually('it is asked', () => expect(anthropic.requestsOf('messages').length).toBe(asked + 1));
      await delivered(message_id);
      telegram.receiveText({ chatId: 22, text: 'After' });
      await eventually('it is asked again', () => expect(anthropic.requestsOf('messages').length).toBe(asked + 2));
      const context = JSON.stringify(anthropic.requestsOf('messages').at(-1)!.body);
      const places = ['Before', 'A reminder', 'After'].map((text) => context.indexOf(text));
      expect(places.every((place) => place >= 0)).toBe(true);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    });

    it('gets a position if an instance of the previous version starts it', async () => {
      const { message_id } = (await send('23', inMs(DAY_MS))).body.data;
      const id = fromPublicId('message', message_id);
      await gateway.sql(
        `WITH due AS (DELETE FROM scheduled_sends WHERE message_id = $1 RETURNING message_id)
         UPDATE messages SET status = 'pending' WHERE id = (SELECT message_id FROM due)`,
        [id],
      );
      await gateway.sql('INSERT INTO message_tasks (message_id, next_at, fence) VALUES ($1, now(), 1)', [id]);
      await delivered(message_id);
      expect(await conversationOf(message_id)).toMatchObject({ message_count: 1, messages: [{ content: 'to 23' }] });
    });
  });

  it('is sent within five seconds of its time, together with 59 others of the same second', async () => {
    const at = inMs(8_000);
    const ids = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => (await send(`${200 + n}`, at)).body.data.message_id),
    );
    await eventually(
      'all are delivered',
      async () => {
        const [left] = await gateway.sql<{ n: number }>(
          `SELECT count(*)::int AS n FROM messages WHERE id = ANY ($1) AND status <> 'delivered'`,
          [ids.map((id) => fromPublicId('message', id))],
        );
        expect(left!.n).toBe(0);
      },
      { timeoutMs: 30_000 },
    );
    const [last] = await gateway.sql<{ at: Date }>('SELECT max(delivered_at) AS at FROM messages WHERE id = ANY ($1)', [
      ids.map((id) => fromPublicId('message', id)),
    ]);
    const lateMs = last!.at.getTime() - Date.parse(at);
    process.stdout.write(`  the last of 60 was ${lateMs} ms late\n`);
    expect(lateMs).toBeLessThan(5_000);
    expect(ids.map((_, n) => sentTo(`${200 + n}`).length)).toEqual(ids.map(() => 1));
  });

  it('is simulated by the sandbox', async () => {
    const body = { platform: 'whatsapp', recipient: '49170', message: 'Hi', send_at: inMs(500) };
    const key = gateway.testKey;
    const { message_id: id } = (await gateway.api<SendResultDto>('POST', '/messages/send', body, { key })).body.data;
    await eventually('it is delivered', async () => {
      expect((await gateway.api<MessageDto>('GET', `/messages/${id}`, undefined, { key })).body.data.status).toBe(
        'delivered',
      );
    });
  });

  it('waits an hour for its platform, can be cancelled until then, and fails as `expired`', async () => {
    await telegram.stop();
    await eventually(
      'the platform is away',
      async () => {
        const { body } = await gateway.api<{ platform: string; status: string }[]>('GET', '/integrations');
        expect(body.data.find(({ platform }) => platform === 'telegram')!.status).not.toBe('connected');
      },
      { timeoutMs: 30_000 },
    );
    const at = inMs(300);
    const [waiting, doomed, cancelled] = await Promise.all(
      ['30', '31', '32'].map(async (recipient) => (await send(recipient, at)).body.data.message_id),
    );
    await eventually('they were put off', async () => {
      const rows = await gateway.sql(
        `SELECT 1 FROM scheduled_sends s JOIN messages m ON m.id = s.message_id
        WHERE m.send_at = $1 AND s.next_at > m.send_at`,
        [at],
      );
      expect(rows).toHaveLength(3);
    });
    expect((await read(doomed!)).status).toBe('scheduled');
    expect((await cancel(cancelled!)).status).toBe(200);
    await gateway.sql(`UPDATE messages SET send_at = send_at - interval '1 hour' WHERE id = $1`, [
      fromPublicId('message', doomed!),
    ]);
    await eventually('it has failed', async () =>
      expect(await read(doomed!)).toMatchObject({ status: 'failed', error: { code: 'expired', retryable: true } }),
    );
    expect(await eventsOf(doomed!)).toEqual([{ type: 'message.failed' }]);
    expect((await read(waiting!)).status).toBe('scheduled');
    await telegram.start();
    await eventually('the other is delivered', async () => expect((await read(waiting!)).status).toBe('delivered'), {
      timeoutMs: 60_000,
    });
    expect([sentTo('30').length, sentTo('31').length, sentTo('32').length]).toEqual([1, 0, 0]);
  }, 150_000);
});
