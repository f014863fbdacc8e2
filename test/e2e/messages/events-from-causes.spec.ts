import Ajv from 'ajv/dist/2020';
import { EVENT_TYPES, fromPublicId, signStandardWebhook, signWebhookBody, type EventType } from '#contracts';
import { Handovers } from '../../../src/conversations/handover/handovers.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake, type ReceivedPost } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const SECRET = 'a secret of good length';
/** The health is looked at every few seconds, and has to stay the same for some looks. */
const TIMEOUT_MS = 40_000;

/** What happens in the world, and what the event's data says of it. `after` puts the world right again. */
interface Cause {
  cause: () => unknown;
  data: object;
  after?: () => Promise<unknown>;
}

/** What `expect.objectContaining` makes. */
interface AsymmetricMatcher {
  asymmetricMatch(other: unknown): boolean;
}

interface CausedElsewhere {
  /** The spec that causes it. */
  elsewhere: string;
}

describe('every event type, from its cause to a receiver', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const receiver = new ReceiverFake();
  const gateway = useGateway({ telegram, anthropic, env: LOCAL_RECEIVERS });
  let schemas: Map<string, object>;

  beforeAll(async () => {
    await receiver.start();
    for (const [path, key] of [
      ['/live', gateway.liveKey],
      ['/sandbox', gateway.testKey],
    ] as const) {
      const webhook = { url: receiver.url(path), events: ['*'], secret: SECRET };
      expect((await gateway.api('POST', '/webhooks', webhook, { key })).status).toBe(201);
    }
    const { body } = await gateway.api<{ type: string; schema: object }[]>('GET', '/event-types');
    schemas = new Map(body.data.map(({ type, schema }) => [type, schema]));
  });

  const ok = async (method: string, path: string, body?: unknown, key?: string) =>
    expect((await gateway.api(method, path, body, { key })).status).toBe(200);
  const send = (recipient = '7') =>
    ok('POST', '/messages/send', { platform: 'telegram', recipient, message: 'Your order has been shipped.' });
  const ask = (key?: string) => ok('POST', '/ai/generate', { message: 'When do you open?' }, key);
  const write = (chatId: number) =>
    telegram.receiveText({ chatId, text: 'Hello', from: { id: chatId, first_name: 'Ada', username: 'ada' } });
  const limitReplies = (messages_per_minute: number) =>
    ok('PATCH', '/admin/settings', { rate_limits: { messages_per_minute } });
  const conversationOf = async (participant: number) => {
    const { body } = await gateway.api<{ id: string; participant: { id: string } }[]>('GET', '/conversations');
    return body.data.find((conversation) => conversation.participant.id === String(participant))!.id;
  };
  const reconnect = () => ok('POST', '/integrations/telegram/reconnect');
  const message = { message_id: expect.stringMatching(/^msg_/), conversation_id: expect.stringMatching(/^conv_/) };
  const recipient = { id: '7', name: null };
  const call = { request_id: expect.stringMatching(/^req_/), conversation_id: null };
  const backAgain = async () => {
    await telegram.start();
    await gateway.connected('telegram');
  };

  const CAUSES: Record<EventType, Cause | CausedElsewhere> = {
    'message.received': {
      cause: () => write(21),
      data: { ...message, platform: 'telegram', sender: { id: '21', name: 'Ada', username: 'ada' }, content: 'Hello' },
    },
    'message.sent': {
      cause: () => send(),
      data: { ...message, platform: 'telegram', recipient, content: 'Your order has been shipped.', tokens: null },
    },
    'message.delivered': {
      cause: () => send(),
      data: { ...message, platform: 'telegram', recipient, confirmation: 'platform' },
    },
    'message.failed': {
      cause: () => {
        telegram.block(8);
        return send('8');
      },
      data: { ...message, recipient: { id: '8', name: null }, error: expect.objectContaining({ retryable: false }) },
    },
    'message.updated': { elsewhere: 'test/e2e/integrations/whatsapp-changes.spec.ts' },
    'message.read': { elsewhere: 'test/e2e/integrations/whatsapp-receipts.spec.ts' },
    'attachment.stored': { elsewhere: 'test/e2e/media/inbound-files.spec.ts' },
    'attachment.failed': { elsewhere: 'test/e2e/media/inbound-files.spec.ts' },
    'conversation.handover_requested': {
      cause: async () => {
        const handovers = gateway.app.get(Handovers);
        const id = fromPublicId('conversation', await conversationOf(7))!;
        await handovers.run(async (transaction) => {
          const conversation = await handovers.lock(transaction, 'live', id);
          return handovers.request(transaction, conversation, { reason: 'failures' });
        });
      },
      data: { platform: 'telegram', reason: 'failures', summary: null, assignee: null },
    },
    'conversation.handover_taken': {
      cause: async () => ok('POST', `/conversations/${await conversationOf(7)}/handover`, { assignee: 'Grace' }),
      data: { platform: 'telegram', reason: 'failures', assignee: 'Grace' },
    },
    'conversation.resumed': {
      cause: async () => ok('POST', `/conversations/${await conversationOf(7)}/resume`),
      data: { platform: 'telegram', reason: 'failures', assignee: 'Grace' },
    },
    'conversation.erased': {
      cause: async () => ok('DELETE', `/conversations/${await conversationOf(7)}`),
      data: { conversation_id: expect.stringMatching(/^conv_/), erased_at: expect.any(String) },
    },
    'integration.connected': {
      cause: reconnect,
      data: { platform: 'telegram', details: { bot_username: 'gateway_bot', bot_id: expect.any(String) } },
      after: () => gateway.connected('telegram'),
    },
    'integration.disconnected': {
      cause: () => telegram.stop(),
      data: { platform: 'telegram', reason: expect.any(String), auto_reconnect: true },
      after: backAgain,
    },
    'integration.error': {
      cause: () => {
        telegram.token = '4242:revoked';
        telegram.dropConnections();
      },
      data: { platform: 'telegram', error: expect.anything(), fatal: true },
      after: async () => {
        telegram.token = '4242:fake-telegram-token';
        await reconnect();
        await gateway.connected('telegram');
      },
    },
    'integration.notice': { elsewhere: 'test/e2e/integrations/account-notices.spec.ts' },
    'ai.request': { cause: () => ask(), data: { ...call, context_messages: 1 } },
    'ai.response': {
      cause: () => ask(),
      data: { ...call, tokens: { input: expect.any(Number), output: expect.any(Number) } },
    },
    'ai.error': {
      cause: async () => {
        anthropic.fail({ method: 'messages', status: 400 });
        expect((await gateway.api('POST', '/ai/generate', { message: 'Hello' })).status).toBe(500);
      },
      data: { ...call, error: { type: expect.any(String), message: expect.any(String), retryable: false } },
    },
    'ai.rate_limited': {
      cause: async () => {
        await limitReplies(1);
        write(22);
        await eventually('the first is answered', () => expect(telegram.sent.map((s) => s.chat_id)).toContain(22));
        write(22);
      },
      data: { provider: 'anthropic', scope: 'messages_per_minute', retry_after_seconds: expect.any(Number) },
      after: () => limitReplies(1_000),
    },
    'ai.tool_called': { elsewhere: 'test/e2e/ai/tools-in-answers.spec.ts' },
    'system.health': {
      cause: async () => {
        await eventually(
          'the health is known and healthy',
          async () => {
            const rows = await gateway.sql(`SELECT status FROM health_states WHERE environment = 'live'`);
            expect(rows).toEqual([{ status: 'healthy' }]);
          },
          { timeoutMs: TIMEOUT_MS },
        );
        await telegram.stop();
      },
      data: {
        status: 'degraded',
        previous_status: 'healthy',
        components: expect.objectContaining({ database: 'healthy' }),
      },
      after: backAgain,
    },
    'backup.completed': { elsewhere: 'test/e2e/admin/backups.spec.ts' },
    'backup.failed': { elsewhere: 'test/e2e/admin/backups.spec.ts' },
  };

  const happens = (type: EventType, known: number, data: AsymmetricMatcher): Promise<ReceivedPost> =>
    eventually(
      `${type} arrives`,
      () => {
        const posts = receiver.postsTo('/live').filter(({ event }) => event.type === type);
        const fresh = posts.slice(known);
        expect(fresh.map(({ event }) => event.data)).toContainEqual(data);
        return fresh.find(({ event }) => data.asymmetricMatch(event.data))!;
      },
      { timeoutMs: TIMEOUT_MS },
    );

  it.each(EVENT_TYPES.flatMap((type) => ('elsewhere' in CAUSES[type] ? [] : [[type, CAUSES[type]] as const])))(
    'sends %s',
    async (type, entry) => {
      const known = receiver.postsTo('/live').filter(({ event }) => event.type === type).length;
      const data = expect.objectContaining({ environment: 'live', ...entry.data }) as AsymmetricMatcher;
      let post: ReceivedPost;
      try {
        await entry.cause();
        post = await happens(type, known, data);
      } finally {
        await entry.after?.();
      }

      const { headers, raw, event } = post;
      expect(headers['x-service-event']).toBe(type);
      expect(headers['x-service-signature']).toBe(signWebhookBody(SECRET, raw));
      const seconds = Number(headers['webhook-timestamp']);
      expect(headers['webhook-signature']).toBe(signStandardWebhook(SECRET, event.id, seconds, raw));
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_/),
        type,
        created_at: expect.stringMatching(/Z$/),
        data: event.data,
      });
      const valid = new Ajv({ formats: { 'date-time': true } }).compile(schemas.get(type)!);
      expect(valid(event.data) || valid.errors).toBe(true);
    },
    TIMEOUT_MS * 3,
  );

  it('is caused here or in another spec', () => {
    expect(Object.keys(CAUSES)).toEqual(EVENT_TYPES);
    expect([...schemas.keys()]).toEqual(EVENT_TYPES);
    const elsewhere = EVENT_TYPES.filter((type) => 'elsewhere' in CAUSES[type]);
    expect(elsewhere).toEqual([
      'message.updated',
      'message.read',
      'attachment.stored',
      'attachment.failed',
      'integration.notice',
      'ai.tool_called',
      'backup.completed',
      'backup.failed',
    ]);
  });

  it('keeps sandbox and live separate', async () => {
    const key = gateway.testKey;
    await ok('POST', '/messages/send', { platform: 'telegram', recipient: 'ada', message: 'Hello' }, key);
    await ok('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'Hello' }, key);
    await ask(key);
    const types = ['message.sent', 'message.delivered', 'message.failed', 'ai.request', 'ai.response'];
    await eventually('the sandbox tells of its own', () => {
      expect(receiver.postsTo('/sandbox').map(({ event }) => event.type)).toEqual(expect.arrayContaining(types));
    });
    const environments = (path: string) => new Set(receiver.postsTo(path).map(({ event }) => event.data.environment));
    expect(environments('/sandbox')).toEqual(new Set(['test']));
    expect(environments('/live')).toEqual(new Set(['live']));
  });
});
