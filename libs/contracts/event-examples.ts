import type { EventData, EventType } from './events';
import { SEND_FAILURES } from './send-failures';

const account = { id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'default' };
const AT = '2026-01-31T12:00:00.000Z';
const message = {
  message_id: 'msg_01h455vb4pex5vsknk084sn02q',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  platform: 'telegram',
  account,
  environment: 'live',
} as const;
const recipient = { id: '48213907', name: 'Ada Lovelace' };
const stored = {
  id: 'att_01h455vb4pex5vsknk084sn02q',
  kind: 'image',
  mime_type: 'image/jpeg',
  size_bytes: 184_320,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  filename: null,
  width: 1_280,
  height: 960,
  duration_seconds: null,
  status: 'stored',
  reason: null,
  transcript: null,
} as const;
const unfetched = { ...stored, mime_type: null, sha256: null } as const;
const integration = { platform: 'telegram', account, environment: 'live' } as const;
const handover = {
  environment: 'live',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  platform: 'telegram',
  account,
  participant: { id: '48213907', name: 'Ada Lovelace', username: 'ada' },
  reason: 'assistant',
  summary: 'Ada wants to return order 4711 and asks for a person.',
  assignee: null,
  at: AT,
} as const;
const aiCall = {
  request_id: 'req_01h455vb4pex5vsknk084sn02q',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  model: 'claude-sonnet-5-5',
  environment: 'live',
} as const;

/** An example of `data` of each event type, for the documentation. */
export const EVENT_EXAMPLES: { readonly [T in EventType]: EventData<T> } = {
  'message.received': {
    ...message,
    sender: { id: '48213907', name: 'Ada Lovelace', username: 'ada' },
    content: 'When does my order come?',
    attachments: [{ ...unfetched, status: 'pending' }],
    data: null,
    reply_to: {
      message_id: 'msg_01h455vb4pex5vsknk084sn02n',
      sender: null,
      content: 'Your order 4711 has been shipped.',
    },
    timestamp: AT,
  },
  'message.sent': {
    ...message,
    recipient,
    content: 'Your order comes tomorrow.',
    attachments: [],
    ai_model: 'claude-sonnet-5-5',
    tokens: { input: 112, output: 9 },
    latency_ms: 840,
  },
  'message.delivered': { ...message, recipient, attachments: [], delivered_at: AT, confirmation: 'platform' },
  'message.failed': {
    ...message,
    recipient,
    attachments: [],
    error: { code: 'blocked_by_recipient', ...SEND_FAILURES.blocked_by_recipient, platform_code: '403' },
    failed_at: AT,
  },
  'message.updated': { ...message, change: 'edited', content: 'When does my order 4711 come?', at: AT },
  'message.read': { ...message, platform: 'whatsapp', recipient, read_at: AT },
  'attachment.stored': { ...message, attachment: stored },
  'attachment.failed': { ...message, attachment: { ...unfetched, status: 'expired', reason: 'platform' } },
  'conversation.handover_requested': handover,
  'conversation.handover_taken': { ...handover, assignee: 'Grace' },
  'conversation.resumed': { ...handover, assignee: 'Grace' },
  'conversation.erased': { environment: 'live', conversation_id: handover.conversation_id, erased_at: AT },
  'integration.connected': {
    ...integration,
    details: { bot_username: 'bakery_bot', bot_id: '7012345678' },
    connected_at: AT,
  },
  'integration.disconnected': {
    ...integration,
    reason: 'the platform does not answer',
    last_connected_at: AT,
    auto_reconnect: true,
  },
  'integration.error': {
    ...integration,
    error: { code: 'UNAUTHORIZED', message: 'The platform refuses the token.' },
    fatal: true,
    occurred_at: AT,
  },
  'integration.notice': {
    platform: 'whatsapp',
    account,
    environment: 'live',
    kind: 'account_update',
    severity: 'critical',
    message: 'Meta will disable the business account on 2026-12-01.',
    data: {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: '2026-12-01' },
    },
    occurred_at: AT,
  },
  'ai.request': {
    ...aiCall,
    context_messages: 3,
    context: {
      first_message_id: 'msg_01h455vb4pex5vsknk084sn02n',
      last_message_id: 'msg_01h455vb4pex5vsknk084sn02q',
      system_prompt_sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    tools: [],
  },
  'ai.response': {
    ...aiCall,
    tokens: { input: 112, output: 9 },
    latency_ms: 840,
    cost_usd: 0.000471,
    stop_reason: 'end_turn',
    tool_calls: [],
    not_sent: null,
  },
  'ai.error': {
    ...aiCall,
    error: { type: 'overloaded', message: 'The AI provider is overloaded.', retryable: true },
  },
  'ai.rate_limited': {
    environment: 'live',
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    scope: 'messages_per_minute',
    retry_after_seconds: 12,
  },
  'ai.tool_called': {
    environment: 'live',
    tool: 'order_status',
    call_id: 'call_01h455vb4pex5vsknk084sn02q',
    conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
    message_id: 'msg_01h455vb4pex5vsknk084sn02q',
    status: 'success',
    ms: 87,
  },
  'system.health': {
    environment: 'live',
    status: 'degraded',
    previous_status: 'healthy',
    components: { database: 'healthy', cache: 'healthy', ai_provider: 'degraded' },
  },
  'backup.completed': {
    environment: 'live',
    backup_id: 'bak_01h455vb4pex5vsknk084sn02q',
    size_bytes: 1_048_576,
    duration_ms: 2_150,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  'backup.failed': {
    environment: 'live',
    backup_id: 'bak_01h455vb4pex5vsknk084sn02q',
    error: 'no space left on device',
  },
};
