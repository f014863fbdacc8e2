import Ajv from 'ajv/dist/2020';
import { EVENT_TYPES, EVENTS, type EventData, type Attachment, type EventType } from '#contracts';
import { DataSource } from 'typeorm';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { Retention } from '../../../src/core/events/retention.service';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const AT = '2026-01-01T00:00:00.000Z';
const environment = 'live';
const account = { id: 'acc_1', name: 'default' };
const message = { message_id: 'msg_1', conversation_id: 'conv_1', platform: 'telegram', account, environment } as const;
const recipient = { id: 'ada', name: null };
const handover = {
  environment,
  conversation_id: 'conv_1',
  platform: 'telegram',
  account,
  participant: { id: 'ada', name: null, username: null },
  reason: null,
  summary: null,
  assignee: null,
  at: AT,
} as const;
const call = { request_id: 'req_1', conversation_id: null, model: 'claude', environment } as const;

const ATTACHMENT: Attachment = {
  id: 'att_1',
  kind: 'image',
  mime_type: 'image/png',
  size_bytes: 1,
  sha256: 'ab',
  filename: null,
  width: null,
  height: null,
  duration_seconds: null,
  status: 'stored',
  reason: null,
  transcript: null,
};

/** Data of each type, as its schema asks for. */
const DATA: { [T in EventType]: EventData<T> } = {
  'message.received': {
    ...message,
    attachments: [],
    sender: { id: 'ada', name: null, username: null },
    content: 'hi',
    data: null,
    reply_to: null,
    timestamp: AT,
  },
  'message.sent': {
    ...message,
    recipient,
    attachments: [],
    content: 'hi',
    ai_model: null,
    tokens: null,
    latency_ms: 1,
  },
  'message.delivered': { ...message, recipient, attachments: [], delivered_at: AT, confirmation: 'platform' },
  'message.failed': {
    ...message,
    recipient,
    attachments: [],
    error: { code: 'blocked', message: 'no', platform_code: null, retryable: false },
    failed_at: AT,
  },
  'message.updated': { ...message, change: 'edited', content: 'ho', at: AT },
  'message.read': { ...message, recipient, read_at: AT },
  'attachment.stored': { ...message, attachment: ATTACHMENT },
  'attachment.failed': { ...message, attachment: { ...ATTACHMENT, status: 'failed', reason: 'quota' } },
  'conversation.handover_requested': handover,
  'conversation.handover_taken': handover,
  'conversation.resumed': handover,
  'conversation.erased': { environment, conversation_id: 'conv_1', erased_at: AT },
  'integration.connected': { platform: 'telegram', account, environment, details: {}, connected_at: AT },
  'integration.disconnected': {
    platform: 'telegram',
    account,
    environment,
    reason: 'gone',
    last_connected_at: null,
    auto_reconnect: true,
  },
  'integration.error': {
    platform: 'telegram',
    account,
    environment,
    error: { code: 'x', message: 'y' },
    fatal: false,
    occurred_at: AT,
  },
  'integration.notice': {
    platform: 'whatsapp',
    account,
    environment,
    kind: 'x',
    severity: 'info',
    message: 'y',
    data: {},
    occurred_at: AT,
  },
  'ai.request': {
    ...call,
    context_messages: 1,
    context: { first_message_id: null, last_message_id: null, system_prompt_sha256: 'a' },
    tools: [],
  },
  'ai.response': {
    ...call,
    tokens: { input: 1, output: 1 },
    latency_ms: 1,
    cost_usd: 0.1,
    stop_reason: 'end_turn',
    tool_calls: [],
    not_sent: null,
  },
  'ai.error': { ...call, error: { type: 'overloaded', message: 'busy', retryable: true } },
  'ai.rate_limited': { environment, provider: 'anthropic', model: 'claude', scope: 'provider', retry_after_seconds: 1 },
  'ai.tool_called': {
    environment,
    tool: 'orders',
    call_id: 'call_1',
    conversation_id: 'conv_1',
    message_id: 'msg_1',
    status: 'success',
    ms: 1,
  },
  'system.health': { environment, status: 'degraded', previous_status: 'healthy', components: { database: 'healthy' } },
  'backup.completed': { environment, backup_id: 'bak_1', size_bytes: 1, duration_ms: 1, sha256: 'a' },
  'backup.failed': { environment, backup_id: 'bak_1', error: 'disk full' },
};

describe('the event catalogue', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;
  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
  });

  const record = async (type: EventType) => {
    const events = gateway.gateway.app.get(DomainEvents);
    await events.record(events.create(type, DATA[type]));
  };

  it.each(EVENT_TYPES)('delivers %s to its live subscribers only', async (type) => {
    const subscribed = { url: receiver.url(`/${type}`), events: [type] };
    expect((await gateway.api('POST', '/webhooks', subscribed)).status).toBe(201);
    const sandbox = { url: receiver.url('/sandbox'), events: ['*'] };
    await gateway.api('POST', '/webhooks', sandbox, { key: gateway.testKey });
    await record(type);
    const [post] = await receiver.received(1, `/${type}`);
    expect(post!.event).toMatchObject({ type, data: DATA[type] });
    const valid = new Ajv({ formats: { 'date-time': true } }).compile(EVENTS[type].schema);
    expect(valid(post!.event.data) || valid.errors).toBe(true);
    expect(receiver.postsTo('/sandbox')).toEqual([]);
  });

  it('is deleted after the days of the setting', async () => {
    const dataSource = gateway.gateway.app.get(DataSource);
    const deleteOld = () => gateway.app.get(Retention).deleteOld();
    const count = async (table: string) =>
      (await gateway.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]!.n;
    await eventually('all attempts are recorded', async () =>
      expect(await count('webhook_deliveries')).toBeGreaterThanOrEqual(EVENT_TYPES.length),
    );
    await deleteOld();
    expect(await count('events')).toBeGreaterThanOrEqual(EVENT_TYPES.length);
    // As if they had happened 31 days ago, ids included: they carry their time.
    const older = `'018d0000' || substr(id::text, 9)`;
    await dataSource.query(
      `UPDATE events SET created_at = created_at - interval '31 days' WHERE type = 'message.sent'`,
    );
    await dataSource.query(`UPDATE webhook_deliveries SET created_at = created_at - interval '31 days', id = (${older})::uuid
      WHERE event_type = 'message.sent'`);
    const [events, deliveries] = [await count('events'), await count('webhook_deliveries')];
    await deleteOld();
    expect(await count('events')).toBe(events - 1);
    expect(await count('webhook_deliveries')).toBe(deliveries - 1);
    expect(await count(`webhook_dispatches WHERE event_id NOT IN (SELECT id FROM events)`)).toBe(0);
  });
});
