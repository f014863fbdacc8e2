import { ENVIRONMENTS } from './environments';
import {
  ATTACHMENT,
  CONFIRMATIONS,
  HANDOVER_REASONS,
  MESSAGE_CHANGES,
  MESSAGE_DATA,
  NOTICE_SEVERITIES,
  TOOL_CALL_STATUSES,
} from './messages';
import { PLATFORMS } from './platforms';
import { listOf, nullable, object, record, schema, words, type Schema, type TypeOf } from './schema';

const string = schema<string>({ type: 'string' });
const nullableString = schema<string | null>({ type: ['string', 'null'] });
const strings = schema<string[]>({ type: 'array', items: string });
const integer = schema<number>({ type: 'integer', minimum: 0 });
const boolean = schema<boolean>({ type: 'boolean' });
const timestamp = schema<string>({ type: 'string', format: 'date-time' });
const platform = words(PLATFORMS);
const health = words(['healthy', 'degraded', 'unhealthy']);
const environment = words(ENVIRONMENTS);
const recipient = object({ id: string, name: nullableString });
const sender = object({ id: string, name: nullableString, username: nullableString });
const tokens = object({ input: integer, output: integer });
const account = object({ id: string, name: string });
const message = { message_id: string, conversation_id: string, platform, account, environment } as const;
const handover = {
  environment,
  conversation_id: string,
  platform,
  account,
  participant: sender,
  reason: nullable(words(HANDOVER_REASONS)),
  summary: nullableString,
  assignee: nullableString,
  at: timestamp,
} as const;
const attachments = listOf(ATTACHMENT);
const aiCall = { request_id: string, conversation_id: nullableString, model: string, environment } as const;

/** The event catalogue: validation, documentation, `GET /event-types` and the types of `data` derive from it. */
export const EVENTS = {
  'message.received': {
    description: 'A new inbound message was stored.',
    schema: object(
      {
        ...message,
        sender,
        content: string,
        attachments,
        data: nullable(MESSAGE_DATA),
        reply_to: nullable(object({ message_id: nullableString, sender: nullable(sender), content: nullableString })),
        timestamp,
      },
      { interactive_reply: object({ id: nullableString, title: string, message_id: nullableString }) },
    ),
  },
  'message.sent': {
    description: 'The platform accepted an outbound message.',
    schema: object({
      ...message,
      recipient,
      content: string,
      attachments,
      ai_model: nullableString,
      tokens: nullable(tokens),
      latency_ms: integer,
    }),
  },
  'message.delivered': {
    description: 'Delivery of an outbound message was confirmed.',
    schema: object({
      ...message,
      recipient,
      attachments,
      delivered_at: timestamp,
      confirmation: words(CONFIRMATIONS),
    }),
  },
  'message.failed': {
    description: 'An outbound message could not be delivered.',
    schema: object({
      ...message,
      recipient,
      attachments,
      error: object(
        { code: string, message: string, platform_code: nullableString, retryable: boolean },
        { templates: strings },
      ),
      failed_at: timestamp,
    }),
  },
  'message.updated': {
    description: 'The author edited or deleted a message.',
    schema: object({ ...message, change: words(MESSAGE_CHANGES), content: string, at: timestamp }),
  },
  'message.read': {
    description: 'The platform reported that the recipient read an outbound message.',
    schema: object({ ...message, recipient, read_at: timestamp }),
  },
  'attachment.stored': {
    description: 'The file of an inbound message was fetched and can be read.',
    schema: object({ ...message, attachment: ATTACHMENT }),
  },
  'attachment.failed': {
    description: 'The file of an inbound message could not be fetched; `status` and `reason` tell why.',
    schema: object({ ...message, attachment: ATTACHMENT }),
  },
  'conversation.handover_requested': {
    description: 'The gateway requested a person; the assistant is silent in the conversation.',
    schema: object(handover),
  },
  'conversation.handover_taken': {
    description: 'A person took over a conversation.',
    schema: object(handover),
  },
  'conversation.resumed': {
    description: 'The assistant resumed a conversation.',
    schema: object(handover),
  },
  'conversation.erased': {
    description: 'All personal data of a conversation was erased.',
    schema: object({ environment, conversation_id: string, erased_at: timestamp }),
  },
  'integration.connected': {
    description: 'A platform was connected.',
    schema: object({ platform, account, environment, details: record(string), connected_at: timestamp }),
  },
  'integration.disconnected': {
    description: 'A platform was disconnected.',
    schema: object({
      platform,
      account,
      environment,
      reason: string,
      last_connected_at: nullable(timestamp),
      auto_reconnect: boolean,
    }),
  },
  'integration.error': {
    description: 'A platform integration had an error.',
    schema: object({
      platform,
      account,
      environment,
      error: object({ code: string, message: string }),
      fatal: boolean,
      occurred_at: timestamp,
    }),
  },
  'integration.notice': {
    description: 'The platform sent a notice about an account: a restriction, a rating, or a missed call.',
    schema: object({
      platform,
      account,
      environment,
      kind: string,
      severity: words(NOTICE_SEVERITIES),
      message: string,
      data: schema<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      occurred_at: timestamp,
    }),
  },
  'ai.request': {
    description: 'A request was sent to the AI provider.',
    schema: object({
      ...aiCall,
      context_messages: integer,
      context: object({
        first_message_id: nullableString,
        last_message_id: nullableString,
        system_prompt_sha256: string,
      }),
      tools: listOf(string),
    }),
  },
  'ai.response': {
    description: 'The AI provider answered.',
    schema: object({
      ...aiCall,
      tokens,
      latency_ms: integer,
      cost_usd: schema<number>({ type: 'number', minimum: 0 }),
      stop_reason: words(['end_turn', 'max_tokens', 'tool_use', 'refusal', 'other']),
      tool_calls: listOf(string),
      not_sent: nullable(words(['taken_over'])),
    }),
  },
  'ai.error': {
    description: 'The AI provider failed to answer.',
    schema: object({ ...aiCall, error: object({ type: string, message: string, retryable: boolean }) }),
  },
  'ai.rate_limited': {
    description: 'A limit delayed or refused an AI answer.',
    schema: object({
      environment,
      provider: string,
      model: string,
      scope: words(['provider', 'messages_per_minute', 'replies_per_minute', 'budget', 'person', 'billable']),
      retry_after_seconds: nullable(integer),
    }),
  },
  'ai.tool_called': {
    description: 'The assistant called a tool.',
    schema: object({
      environment,
      tool: string,
      call_id: string,
      conversation_id: nullableString,
      message_id: nullableString,
      status: words(TOOL_CALL_STATUSES),
      ms: integer,
    }),
  },
  'system.health': {
    description: 'The overall health status changed.',
    schema: object(
      { environment, status: health, previous_status: nullable(health), components: record(health) },
      { test: boolean },
    ),
  },
  'backup.completed': {
    description: 'A backup finished.',
    schema: object({ environment, backup_id: string, size_bytes: integer, duration_ms: integer, sha256: string }),
  },
  'backup.failed': {
    description: 'A backup failed.',
    schema: object({ environment, backup_id: string, error: string }),
  },
} as const satisfies Record<string, { description: string; schema: Schema<object> }>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** `data` of an event of type T; it always has `environment`. */
export type EventData<T extends EventType> = TypeOf<(typeof EVENTS)[T]['schema']>;

/** An event as a receiver gets it. */
export interface EventPayload<T extends EventType = EventType> {
  id: string;
  type: T;
  created_at: string;
  data: EventData<T>;
}
