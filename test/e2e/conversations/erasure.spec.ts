import { randomUUID } from 'node:crypto';
import { fromPublicId, type EventPayload } from '#contracts';
import type { ConversationDto, ErasedConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { Retention } from '../../../src/core/events/retention.service';
import type { MessageDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { aTimestamp, expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { withClient } from '../../support/postgres';

describe('Erasure of a conversation', () => {
  const whatsapp = new WhatsAppFake();
  const anthropic = new AnthropicFake();
  let gateway: TestGateway;
  let people = 0;
  let person: string;

  beforeAll(async () => {
    await Promise.all([whatsapp.start(), anthropic.start()]);
    gateway = await startTestGateway({ anthropic, env: whatsapp.env });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await gateway.connected('whatsapp');
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([whatsapp.shutDown(), anthropic.stop()]);
  });
  beforeEach(() => (person = `4917200${100_000 + (people += 1)}`));

  const api = <T = ConversationDto>(method: string, path: string, body?: object, headers?: Record<string, string>) =>
    gateway.api<T>(method, path, body, { headers });
  const read = async (id: string) => (await api('GET', `/conversations/${id}`)).body.data;
  const messagesOf = async (id: string) =>
    (await api<MessageDto[]>('GET', `/messages?conversation_id=${id}&expand=details&per_page=100`)).body.data;
  const conversations = async () => (await api<ConversationDto[]>('GET', `/conversations?q=${person}`)).body.data;
  const erase = (id: string) => api<ErasedConversationDto>('DELETE', `/conversations/${id}`);
  const send = (body: object, headers = {}) =>
    api<SendResultDto>('POST', '/messages/send', { platform: 'whatsapp', recipient: person, ...body }, headers);
  const sent = () => whatsapp.sent.filter(({ to }) => to === person).length;

  /** A person has written, and the assistant has answered. */
  async function answered(): Promise<string> {
    whatsapp.receiveText({ from: person, name: 'Ada Lovelace', text: 'Where is my order?' });
    return eventually('the message is answered', async () => {
      const [conversation] = await conversations();
      expect(conversation?.message_count).toBe(2);
      expect((await messagesOf(conversation!.id)).map(({ status }) => status)).not.toContain('pending');
      return conversation!.id;
    });
  }

  const isDone = (id: string) =>
    eventually('everything is erased', async () => {
      const [event] = await gateway.sql<{ body: string }>(
        `SELECT body FROM events WHERE type = 'conversation.erased' AND body LIKE '%' || $1 || '%'`,
        [id],
      );
      expect(event).toBeDefined();
      return JSON.parse(event!.body) as EventPayload<'conversation.erased'>;
    });

  async function erased(): Promise<string> {
    const id = await answered();
    expect((await erase(id)).status).toBe(200);
    await isDone(id);
    return id;
  }

  it('needs admin:users, gives the same answer each time, and reports its end once', async () => {
    const id = await answered();
    const key = await gateway.createKey({ scopes: ['read:conversations', 'write:messages', 'admin:settings'] });
    const refused = await gateway.api('DELETE', `/conversations/${id}`, undefined, { key });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } } });
    const first = await erase(id);
    expect(first).toMatchObject({ status: 200, body: { data: { id, erased: true, erased_at: aTimestamp() } } });
    const { erased_at } = first.body.data;
    expect((await isDone(id)).data).toEqual({ environment: 'live', conversation_id: id, erased_at });
    expect((await erase(id)).body.data).toEqual(first.body.data);
    expect(await gateway.sql('SELECT 1 FROM erasures')).toEqual([]);
    const test = await gateway.api('DELETE', `/conversations/${id}`, undefined, { key: gateway.testKey });
    expect(test).toMatchObject({ status: 404, body: { error: { code: 'RESOURCE_NOT_FOUND' } } });
  });

  it('empties the conversation and its messages, and changes no totals', async () => {
    const total = async (path: string) => (await gateway.api(`GET`, path)).body.meta.pagination?.total;
    const id = await answered();
    const before = [await total('/conversations'), await total('/messages')];
    await erase(id);
    await isDone(id);
    expect([await total('/conversations'), await total('/messages')]).toEqual(before);
    expect(await read(id)).toMatchObject({
      participant: { id: null, name: null, username: null },
      message_count: 2,
      erased_at: aTimestamp(),
      handling: 'assistant',
      window: { open: false, expires_at: null },
    });
    const listed = (await api<ConversationDto[]>('GET', '/conversations')).body.data.find((one) => one.id === id);
    expect(listed).toMatchObject({ participant: { id: null, name: null, username: null }, message_count: 2 });
    expect((await messagesOf(id)).map(({ content, attachments, error }) => [content, attachments, error])).toEqual([
      ['', [], null],
      ['', [], null],
    ]);
    expect(await conversations()).toEqual([]);
    const uuid = fromPublicId('conversation', id);
    expect(await gateway.sql('SELECT 1 FROM events WHERE conversation_id = $1', [uuid])).toEqual([]);
  });

  it('refuses changes', async () => {
    const id = await erased();
    for (const [method, path, body] of [
      ['POST', '/handover', { note: 'Ada' }],
      ['POST', '/resume', undefined],
      ['PATCH', '', { ai_paused: true }],
    ] as const) {
      const answer = await api(method, `/conversations/${id}${path}`, body);
      expect(answer).toMatchObject(expectedError('INVALID_REQUEST', { reason: 'the conversation is erased' }));
    }
  });

  it('fails unsent messages, and a repeated request does not send them again', async () => {
    const id = await answered();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { message: 'Your order is on its way.' };
    const answer = (await send(body, headers)).body.data;
    const later = (await send({ message: 'And now?', send_at: new Date(Date.now() + 2_000).toISOString() })).body.data;
    const before = sent();
    await erase(id);
    await isDone(id);
    const messages = await messagesOf(id);
    expect(messages.find((message) => message.id === later.message_id)).toMatchObject({
      status: 'failed',
      error: { code: 'erased', retryable: false },
    });
    const again = await send(body, headers);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.data).toMatchObject({ message_id: answer.message_id, recipient: '' });
    const other = await send({ message: 'A new conversation' });
    expect(other.body.data.status).not.toBe('failed');
    await eventually('only the new message is sent', async () => {
      expect(await gateway.sql('SELECT 1 FROM scheduled_sends')).toEqual([]);
      expect(sent()).toBe(before + 1);
    });
  });

  it('leaves a failed message with the fixed text of its code', async () => {
    const id = await answered();
    whatsapp.refuseNextSend(131_026);
    const failed = (await send({ message: 'Hello' })).body.data;
    expect(failed.error).toMatchObject({ code: 'recipient_unreachable', platform_code: '131026' });
    await erase(id);
    await isDone(id);
    const message = (await messagesOf(id)).find((one) => one.id === failed.message_id);
    expect(message!.error).toEqual({
      code: 'recipient_unreachable',
      message: 'The platform does not know this recipient, or cannot reach it.',
      platform_code: null,
      retryable: false,
    });
  });

  it('locks tasks before messages, as sends do, so it cannot deadlock', async () => {
    const deadlocks = async () => {
      const [database] = await gateway.sql<{ deadlocks: string }>(
        'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
      );
      return database!.deadlocks;
    };
    const waits = (lock: string) =>
      eventually(`a statement waits for ${lock}`, async () =>
        expect(
          await gateway.sql(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`, [
            `%${lock}%`,
          ]),
        ).toHaveLength(1),
      );
    const id = await answered();
    const before = await deadlocks();
    const [first, second] = (
      await gateway.sql<{ id: string }>('SELECT id FROM messages WHERE conversation_id = $1 ORDER BY id', [
        fromPublicId('conversation', id),
      ])
    ).map((message) => message.id);
    await withClient(gateway.databaseUrl, async (putsBack) =>
      withClient(gateway.databaseUrl, async (holds) =>
        withClient(gateway.databaseUrl, async (finishes) => {
          await putsBack.query(`BEGIN; SELECT FROM messages WHERE id = '${first!}' FOR UPDATE`);
          await holds.query(`BEGIN; SELECT FROM messages WHERE id = '${second!}' FOR UPDATE`);
          await erase(id);
          await waits('FROM messages WHERE id = ANY');
          await putsBack.query(
            `INSERT INTO message_tasks (message_id, next_at) VALUES ('${first!}', 'infinity'); COMMIT`,
          );
          await finishes.query(`BEGIN; SELECT FROM message_tasks FOR UPDATE`);
          const finished = finishes.query(`UPDATE messages SET latency_ms = 1 WHERE id = '${first!}'; COMMIT`);
          await waits('SET latency_ms');
          await holds.query('COMMIT');
          await finished;
        }),
      ),
    );
    await isDone(id);
    expect(await gateway.sql('SELECT 1 FROM message_tasks')).toEqual([]);
    expect(await deadlocks()).toBe(before);
  });

  it('stops an answer in progress', async () => {
    await answered();
    anthropic.hold();
    whatsapp.receiveText({ from: person, name: 'Ada Lovelace', text: 'Are you there?' });
    await anthropic.waitForInFlight(1);
    const [{ id }] = (await conversations()) as [ConversationDto];
    const before = sent();
    await erase(id);
    anthropic.release();
    await isDone(id);
    await eventually('the answer is billed or dropped', async () => {
      expect(anthropic.inFlight).toBe(0);
      expect(await gateway.sql('SELECT 1 FROM reply_tasks WHERE lease_until > now()')).toEqual([]);
    });
    expect([(await read(id)).message_count, sent()]).toEqual([3, before]);
  });

  it('starts a new conversation at the next message, and ignores a repeated old one', async () => {
    const value = whatsapp.messageValue({ type: 'text', text: { body: 'Where is my order?' } }, { from: person });
    expect(await whatsapp.post(value)).toBe(200);
    const { id } = await eventually('it is answered', async () => {
      const [conversation] = await conversations();
      expect(conversation?.message_count).toBe(2);
      return conversation!;
    });
    const [own] = await eventually('it was sent', async () => {
      const messages = whatsapp.sent.filter(({ to }) => to === person);
      expect(messages).toHaveLength(1);
      return messages;
    });
    await erase(id);
    await isDone(id);
    // Late: the message, a status of the answer.
    expect(await whatsapp.post(value)).toBe(200);
    expect(await whatsapp.post(whatsapp.statusValue(own!, 'read'))).toBe(200);
    expect(await whatsapp.post(whatsapp.statusValue(own!, 'failed', { code: 131_026 }))).toBe(200);
    expect(await conversations()).toEqual([]);
    expect(await gateway.sql('SELECT 1 FROM early_receipts')).toEqual([]);
    const next = await answered();
    expect(next).not.toBe(id);
    expect((await read(id)).message_count).toBe(2);
  });

  it('lets a stream resume after a deleted event', async () => {
    const id = await answered();
    const uuid = fromPublicId('conversation', id);
    const [event] = await gateway.sql<{ body: string }>(
      `SELECT body FROM events WHERE conversation_id = $1 AND type = 'message.received'`,
      [uuid],
    );
    const { id: last } = JSON.parse(event!.body) as EventPayload;
    await erase(id);
    await isDone(id);
    const abort = new AbortController();
    const stream = await fetch(`${gateway.url}/api/v1/events/stream`, {
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'last-event-id': last },
      signal: abort.signal,
    });
    expect(stream.status).toBe(200);
    let text = '';
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('event: conversation.erased') && text.includes(id)) break;
    }
    expect(text).not.toContain(person);
    abort.abort();
    expect((await api('GET', `/events/${last}`)).status).toBe(404);
  });

  it('happens after retention.message_days of silence, at once when the setting changes', async () => {
    const id = await answered();
    await gateway.sql(`UPDATE conversations SET last_message_at = now() - interval '31 days' WHERE id = $1`, [
      fromPublicId('conversation', id),
    ]);
    await gateway.app.get(Retention).deleteOld();
    expect((await read(id)).erased_at).toBeNull();
    const change = (days: number | null) => api('PATCH', '/admin/settings', { retention: { message_days: days } });
    expect((await change(30)).status).toBe(200);
    await isDone(id);
    expect(await read(id)).toMatchObject({ participant: { id: null }, erased_at: aTimestamp() });
    await change(null);
  });

  it('leaves no body of a delivery whose event retention will delete', async () => {
    const uuidOf = (daysAgo: number) => {
      const hex = (Date.now() - daysAgo * 86_400_000).toString(16).padStart(12, '0');
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${randomUUID().slice(24)}`;
    };
    const [old, recent] = [uuidOf(31), uuidOf(29)];
    const webhook = randomUUID();
    await gateway.sql(
      `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
       VALUES ($1, 'live', 'http://127.0.0.1:9/', '{backup.failed}', '', now(), now())`,
      [webhook],
    );
    for (const event of [old, recent])
      await gateway.sql(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, attempt, status, response_time_ms,
           response_headers, response_body, created_at)
         VALUES ($1, $2, $3, 'message.received', 1, 'success', 1, '{"x-name": "Ada"}', 'Hello, Ada', now())`,
        [uuidOf(0), webhook, event],
      );
    await gateway.app.get(Retention).deleteOld();
    const bodies = await gateway.sql(
      `SELECT event_id, response_body, response_headers FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY event_id`,
      [webhook],
    );
    expect(bodies).toEqual([
      { event_id: old, response_body: null, response_headers: null },
      { event_id: recent, response_body: 'Hello, Ada', response_headers: { 'x-name': 'Ada' } },
    ]);
  });
});
