import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Fetch,
  GatewayError,
  MessagingGateway,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookEvent,
} from '../../../libs/client';
import { apiDocument, operationsOf } from '../../client/api-types';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { anId, expectedConnected } from '../../support/expected';
import { png } from '../../support/png';
import { useGateway } from '../../support/gateway';

const SECRET = 'a secret of good length';

/** Calls every method, with the names of path parameters as ids, so that what is asked for are the document's paths. */
async function callEverything(client: MessagingGateway): Promise<void> {
  const message = { platform: 'telegram', recipient: '7', message: 'Hello' } as const;
  const webhook = '{webhook_id}';
  const calls: PromiseLike<unknown>[] = [
    client.status.get(),
    client.messages.send(message),
    client.messages.list(),
    client.messages.get('{message_id}'),
    client.messages.cancel('{message_id}'),
    client.messages.getTimeline('{message_id}'),
    client.attachments.upload(new Blob(['x'])),
    client.attachments.get('{attachment_id}'),
    client.attachments.download('{attachment_id}'),
    client.conversations.list(),
    client.conversations.get('{conversation_id}'),
    client.conversations.update('{conversation_id}', { ai_paused: true }),
    client.conversations.clear('{conversation_id}'),
    client.conversations.answer('{conversation_id}'),
    client.conversations.listHandovers('{conversation_id}'),
    client.conversations.erase('{conversation_id}'),
    client.conversations.takeOver('{conversation_id}'),
    client.conversations.resume('{conversation_id}'),
    client.ai.generate({ message: 'Hello' }),
    client.ai.stream({ message: 'Hello' }).result(),
    client.ai.getStatus(),
    client.ai.preview({ conversation_id: '{conversation_id}', settings: { temperature: 1 } }),
    client.ai.listProviders(),
    client.ai.setProvider('{name}' as 'openai', { api_key: 'sk-of-the-client', base_url: null }),
    client.ai.listModels('{name}' as 'openai'),
    client.ai.deleteProvider('{name}' as 'openai'),
    client.integrations.list(),
    client.integrations.create({ platform: 'telegram', name: 'Shop', credentials: { bot_token: '1:a' } }),
    client.integrations.update('{account_id}', { name: 'Shop' }),
    client.integrations.delete('{account_id}'),
    client.integrations.reconnect('{platform}'),
    client.tools.create({ name: 'a', description: 'a', parameters: { type: 'object' }, url: 'https://example.com' }),
    client.tools.list(),
    client.tools.get('{tool_id}'),
    client.tools.update('{tool_id}', { enabled: false }),
    client.tools.delete('{tool_id}'),
    client.tools.test('{tool_id}', { arguments: {} }),
    client.tools.listCalls('{tool_id}'),
    client.webhooks.create({ url: 'https://example.com', events: ['*'] }),
    client.webhooks.list(),
    client.webhooks.get(webhook),
    client.webhooks.update(webhook, { enabled: false }),
    client.webhooks.delete(webhook),
    client.webhooks.test(webhook),
    client.webhooks.listDeliveries(webhook),
    client.webhooks.getDelivery(webhook, '{delivery_id}'),
    client.webhooks.redeliver(webhook, '{delivery_id}'),
    client.webhooks.replay(webhook, { since: '2026-01-31' }),
    client.deliveries.get('{delivery_id}'),
    client.events.get('{event_id}'),
    client.events.stream()[Symbol.asyncIterator]().next(),
    client.eventTypes.list(),
    client.apiKeys.create({ name: 'Shop', scopes: ['read:status'] }),
    client.apiKeys.list(),
    client.apiKeys.get('{key_id}'),
    client.apiKeys.getUsage('{key_id}'),
    client.apiKeys.update('{key_id}', { name: 'Shop' }),
    client.apiKeys.roll('{key_id}', { grace_hours: 1 }),
    client.apiKeys.revoke('{key_id}'),
    client.settings.get(),
    client.settings.update({}),
    client.statistics.get(),
    client.statistics.getAiUsage(),
    client.statistics.getPlatformUsage(),
    client.auditLog.list(),
    client.backups.create(),
    client.backups.verify('{backup_id}'),
    client.backups.list(),
    client.backups.get('{backup_id}'),
    client.templates.list(),
    client.templates.sync(),
    client.problems.list(),
    client.problems.dismiss('{problem_id}'),
    client.sandbox.play({ platform: 'telegram', sender: { id: '7' }, content: 'Hello' }),
  ];
  await Promise.allSettled(calls.map((call) => Promise.resolve(call)));
}

/** The client, which notes the names of the methods that are called. */
function noting(client: MessagingGateway, names: Set<string>): MessagingGateway {
  return new Proxy(client, {
    get(target, area: keyof MessagingGateway) {
      const resource = target[area];
      return new Proxy(resource, {
        get(methods, name: string) {
          names.add(`${area}.${name}`);
          return (Reflect.get(methods, name) as (...args: unknown[]) => unknown).bind(methods);
        },
      });
    },
  });
}

it('the client has exactly the operations of the OpenAPI document, under the same names', async () => {
  const called = new Set<string>();
  const names = new Set<string>();
  const fetch: Fetch = (url, init) => {
    called.add(`${init.method} ${decodeURIComponent(new URL(url).pathname)}`);
    return Promise.resolve(new Response('', { status: 404 }));
  };
  const client = new MessagingGateway({ apiKey: 'key', baseUrl: 'http://gateway', fetch });
  await callEverything(noting(client, names));
  const operations = operationsOf(await apiDocument());
  expect([...called].sort()).toEqual(operations.map(({ operation }) => operation).sort());
  // Another form of `ai.generate`.
  names.delete('ai.stream');
  expect([...names].sort()).toEqual(operations.map(({ id }) => id).sort());
});

describe('the client', () => {
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ anthropic, env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;
  let client: MessagingGateway;
  let live: MessagingGateway;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    client = new MessagingGateway({ apiKey: gateway.testKey, baseUrl: gateway.url });
    live = new MessagingGateway({ apiKey: gateway.liveKey, baseUrl: gateway.url });
    // Here the assistant answers no one: what a list has is what the tests put there.
    await client.settings.update({ ai: { auto_reply: false }, rate_limits: { messages_per_minute: 100_000 } });
  });

  const send = (recipient: string, message = 'Hello') =>
    client.messages.send({ platform: 'discord', recipient, message });
  const inbound = (id: string, content: string) =>
    client.sandbox.play({ platform: 'whatsapp', sender: { id }, content });

  it('comes from the same document that is served', async () => {
    const { body } = await gateway.api('GET', '/docs-json');
    expect(JSON.parse(JSON.stringify(await apiDocument()))).toEqual(body);
  });

  it('sends, reads and lists', async () => {
    const sent = await send('reader');
    expect(sent).toMatchObject({ message_id: anId('message'), recipient: 'reader', status: 'sent' });
    const message = await client.messages.get(sent.message_id);
    expect(message).toMatchObject({ content: 'Hello', direction: 'outbound' });
    const { steps, omitted } = await client.messages.getTimeline(sent.message_id);
    expect(steps[0]).toMatchObject({ step: 'stored', data: { message_id: sent.message_id } });
    expect(omitted).toEqual([]);
    const page = await client.messages.list({ conversation_id: message.conversation_id });
    expect(page.data.map(({ id }) => id)).toEqual([sent.message_id]);
    expect(page.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    expect(page.hasNextPage()).toBe(false);
    await expect(page.nextPage()).rejects.toThrow(RangeError);
    const conversation = await client.conversations.get(message.conversation_id, { include_messages: true });
    expect(conversation.messages).toHaveLength(1);
    expect(await client.conversations.clear(conversation.id)).toMatchObject({ messages_cleared: 1 });
  });

  it('uploads files and reads them as streams', async () => {
    const bytes = png(1, 1, 100_000);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1_000) yield await Promise.resolve(bytes.subarray(at, at + 1_000));
    }
    const streamed = await client.attachments.upload(pieces(), { filename: 'a "b".png' });
    expect(streamed).toMatchObject({ kind: 'image', size_bytes: 100_000, filename: 'a _b_.png' });
    const whole = await client.attachments.upload(new File([new Uint8Array(bytes)], 'c.png'));
    expect(whole).toMatchObject({ sha256: streamed.sha256, filename: 'c.png' });
    expect(await client.attachments.get(whole.id)).toEqual(whole);
    const named = await client.attachments.upload(bytes, { filename: 'd.png' });
    expect(named).toMatchObject({ sha256: streamed.sha256, filename: 'd.png' });
    const numbers = { [Symbol.asyncIterator]: () => [1, 2].values() } as unknown as AsyncIterable<Uint8Array>;
    await expect(client.attachments.upload(numbers)).rejects.toThrow(/fetch failed|bytes|never made|connection/i);
    const content = await client.attachments.download(whole.id);
    expect(content).toMatchObject({ mimeType: 'image/png', sizeBytes: 100_000, isPartial: false });
    expect(Buffer.from(await (await content.blob()).arrayBuffer()).equals(bytes)).toBe(true);
    const part = await client.attachments.download(whole.id, { range: { start: 99_990 } });
    const read: Uint8Array[] = [];
    for await (const piece of part) read.push(piece);
    expect([part.isPartial, Buffer.concat(read).equals(bytes.subarray(99_990))]).toEqual([true, true]);
    const last = await client.attachments.download(whole.id, { range: { start: -5 } });
    expect(Buffer.from(await (await last.blob()).arrayBuffer()).equals(bytes.subarray(-5))).toBe(true);
    for (const range of [{ start: -5, end: 7 }, { start: 9, end: 7 }, { start: 0.5 }, { start: Number.NaN }])
      await expect(client.attachments.download(whole.id, { range })).rejects.toThrow(RangeError);
    const unknown = client.attachments.download('att_01h455vb4pex5vsknk084sn02q');
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' });
  });

  it('manages keys, settings and webhooks', async () => {
    const { key: first, id } = await client.apiKeys.create({ name: 'Shop', scopes: ['read:status'] });
    const { key } = await client.apiKeys.roll(id);
    expect(key).not.toBe(first);
    const limited = new MessagingGateway({ apiKey: key, baseUrl: gateway.url });
    expect(await limited.integrations.list()).toContainEqual(expectedConnected('discord', expect.any(Object) as never));
    const refused = await limited.messages.list().then(undefined, (error: unknown) => error);
    expect(refused).toBeInstanceOf(GatewayError);
    expect(refused).toMatchObject({
      status: 403,
      details: { required_scope: 'read:messages' },
      requestId: anId('request'),
    });
    expect(await client.apiKeys.revoke(id)).toMatchObject({ status: 'revoked' });
    await eventually('the revocation is in force', () =>
      expect(limited.status.get()).rejects.toMatchObject({ code: 'INVALID_API_KEY' }),
    );
    const { totals } = await client.statistics.get({ period: '1d' });
    expect(totals.messages).toBeGreaterThan(0);
  });

  it('retries with one Idempotency-Key, so nothing happens twice', async () => {
    let attempts = 0;
    const fetch: Fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init);
      if (++attempts > 1) return response;
      await response.text();
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      });
    };
    const unlucky = new MessagingGateway({ apiKey: gateway.testKey, baseUrl: gateway.url, fetch });
    const sent = await unlucky.messages.send({ platform: 'discord', recipient: 'once', message: 'Once' });
    expect(attempts).toBe(2);
    const { conversation_id } = await client.messages.get(sent.message_id);
    expect((await client.messages.list({ conversation_id })).pagination.total).toBe(1);
  });

  describe('an iterator of the client', () => {
    it('yields every message that existed at the start once, while others arrive', async () => {
      const { conversation_id } = await inbound('iterated', 'message 0');
      for (let index = 1; index < 25; index++) await inbound('iterated', `message ${index}`);
      const met: string[] = [];
      for await (const { content } of client.messages.list({ conversation_id, per_page: 10 })) {
        if (met.push(content) % 4 === 0) await inbound('iterated', `later ${met.length}`);
      }
      expect(met).toEqual(Array.from({ length: 25 }, (_, index) => `message ${24 - index}`));
    });

    it('finds on the next page what existed when the first was read', async () => {
      const { conversation_id } = await inbound('paged', 'message 0');
      for (let index = 1; index < 5; index++) await inbound('paged', `message ${index}`);
      const first = await client.messages.list({ conversation_id, per_page: 2, end_date: '2999-12-31' });
      // What comes within the tolerance for clocks still counts.
      await sleep(400);
      await inbound('paged', 'later');
      const second = await first.nextPage();
      const third = await second.nextPage();
      const contents = [first, second, third].map(({ data }) => data.map(({ content }) => content));
      expect(contents).toEqual([['message 4', 'message 3'], ['message 2', 'message 1'], ['message 0']]);
      expect(third.hasNextPage()).toBe(false);
    });

    it('yields every conversation that existed at the start once, while their order changes', async () => {
      const people = Array.from({ length: 12 }, (_, index) => `person ${index}`);
      for (const id of people) await inbound(id, 'Hello');
      const met: string[] = [];
      for await (const { participant } of client.conversations.list({ platform: 'whatsapp', per_page: 3 })) {
        if (participant.id!.startsWith('person')) met.push(participant.id!);
        // A new person writes, and comes to the front of the list.
        const next = people.find((id) => !met.includes(id));
        if (next) await inbound(next, 'Hello again');
      }
      expect(met.toSorted()).toEqual(people.toSorted());
    });

    it('continues from a requested page, in its order, and stops when it is left', async () => {
      const { conversation_id } = await inbound('ordered', 'message 0');
      for (let index = 1; index < 7; index++) await inbound('ordered', `message ${index}`);
      const asked: string[] = [];
      const fetch: Fetch = (url, init) => {
        asked.push(url);
        return globalThis.fetch(url, init);
      };
      const watched = new MessagingGateway({ apiKey: gateway.testKey, baseUrl: gateway.url, fetch });
      const met: string[] = [];
      for await (const { content } of watched.messages.list({
        conversation_id,
        sort: 'created_at',
        page: 2,
        per_page: 2,
      })) {
        if (met.push(content) === 3) break;
      }
      expect(met).toEqual(['message 2', 'message 3', 'message 4']);
      expect(asked).toHaveLength(2);
    });

    it('also keeps lists of API keys stable', async () => {
      for (const name of ['first', 'second']) await client.apiKeys.create({ name, scopes: ['read:status'] });
      const first = await client.apiKeys.list({ per_page: 1 });
      // What comes within the tolerance for clocks still counts.
      await sleep(400);
      await client.apiKeys.create({ name: 'later', scopes: ['read:status'] });
      const second = await first.nextPage();
      expect([first, second].map(({ data }) => data.map(({ name }) => name))).toEqual([['second'], ['first']]);
    });

    it('also reads a list without dates', async () => {
      const created = [];
      for (let index = 0; index < 3; index++) {
        const url = `https://example.com/hooks/${index}`;
        created.unshift(await client.webhooks.create({ url, events: ['*'] }));
      }
      const met: string[] = [];
      for await (const { id } of client.webhooks.list({ per_page: 1 })) met.push(id);
      expect(met).toEqual(created.map(({ id }) => id));
      for (const { id } of created) await client.webhooks.delete(id);
    });
  });

  describe('an AI answer of the client', () => {
    const question = { message: 'When do you open?' };

    it('arrives as a whole or as a stream', async () => {
      anthropic.replyWith(() => 'We open at nine, as always.');
      expect(await live.ai.generate(question)).toMatchObject({ response: 'We open at nine, as always.' });
      const stream = live.ai.stream(question);
      const pieces: string[] = [];
      for await (const piece of stream) pieces.push(piece);
      expect(pieces.length).toBeGreaterThan(1);
      const { response, tokens } = await stream.result();
      expect(pieces.join('')).toBe(response);
      expect(tokens.output).toBeGreaterThan(0);
    });

    it('is not finished for a client that disconnected', async () => {
      anthropic.hold();
      const caller = new AbortController();
      const answer = live.ai.stream(question, { signal: caller.signal }).result();
      await anthropic.waitForInFlight(1);
      caller.abort();
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      await eventually('the provider is left', () => expect(anthropic.inFlight).toBe(0));
      anthropic.release();
    });

    it('that the provider refuses is requested once', async () => {
      const before = anthropic.requests.length;
      anthropic.fail({ status: 400 });
      const error = await live.ai.generate(question).then(undefined, (reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'AI_PROVIDER_ERROR', status: 500 });
      expect(anthropic.requests.length - before).toBe(1);
    });
  });

  it('the client verifies a delivery, also during a secret change', async () => {
    const { id } = await client.webhooks.create({ url: receiver.url(), events: ['*'], secret: SECRET });
    await client.webhooks.test(id);
    const [first] = await receiver.received(1);
    const event: WebhookEvent = verifyWebhook({ payload: first!.raw, headers: first!.headers, secret: SECRET });
    expect(event.type === 'system.health' && event.data.test).toBe(true);
    await client.webhooks.update(id, { secret: `${SECRET}, renewed` });
    await client.webhooks.test(id);
    const { raw, headers } = (await receiver.received(2))[1]!;
    for (const secret of [SECRET, `${SECRET}, renewed`]) {
      for (const tolerance of [300, Infinity]) {
        expect(verifyWebhook({ payload: Buffer.from(raw), headers, secret, tolerance }).id).toEqual(anId('event'));
      }
      const { 'webhook-id': _, ...withoutTrio } = headers;
      expect(verifyWebhook({ payload: raw, headers: withoutTrio, secret, tolerance: Infinity }).type).toBe(
        'system.health',
      );
    }
    expect(() => verifyWebhook({ payload: raw, headers, secret: 'another secret' })).toThrow(WebhookVerificationError);
    const deliveries = [];
    for await (const delivery of client.webhooks.listDeliveries(id)) deliveries.push(delivery);
    expect(deliveries.map(({ status }) => status)).toEqual(['success', 'success']);
    expect(await client.webhooks.delete(id)).toEqual({ id, deleted: true });
  });
});
