import type { QueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationItem, Message } from '#client';
import { costOf } from './answer-costs';
import { applyToStatistics } from './apply-statistics';
import type { LiveEvent } from './live-event';
import { changeLast, onTop } from './messages/last-message';
import { withChange, type Pages } from './messages/pages';
import { BARE, type MessageEvent, type ShownMessage } from './messages/shown-message';
import { refreshSoon } from './refresh-soon';

type NewMessageEvent = Extract<MessageEvent, { type: 'message.received' | 'message.sent' }>;

export function isMessageEvent(event: LiveEvent): event is MessageEvent {
  return event.type.startsWith('message.');
}

/** Shows a message in its conversation, and counts it in lists and statistics. */
export function applyMessageEvent(client: QueryClient, event: MessageEvent): void {
  showInChat(client, event);
  switch (event.type) {
    case 'message.received':
    case 'message.sent':
      // The event of a client's message contains neither its buttons nor its sender.
      if (event.type === 'message.sent' && event.data.ai_model === null)
        refreshSoon(client, ['messages', event.data.conversation_id]);
      return countMessage(client, messageOf(event));
    case 'message.failed':
      for (const queryKey of [['failures'], ['failed-conversations'], ['messages', event.data.conversation_id]])
        refreshSoon(client, queryKey);
      return changeLast(client, event.data, { status: 'failed' });
    case 'message.delivered':
      return changeLast(client, event.data, { status: 'delivered' });
    case 'message.updated':
      return changeLast(client, event.data, { content: event.data.content });
    case 'message.read':
      return undefined;
  }
}

/** Shows a message or its status in the conversation. Idempotent. */
export function showInChat(client: QueryClient, event: MessageEvent): void {
  const { message_id: id, conversation_id } = event.data;
  switch (event.type) {
    case 'message.received':
    case 'message.sent': {
      const message = messageOf(event);
      client.setQueryData<Pages<ShownMessage>>(
        ['messages', conversation_id],
        (pages) => pages && withMessage(pages, message),
      );
      return;
    }
    case 'message.delivered': {
      const { delivered_at, confirmation } = event.data;
      return changed(client, conversation_id, id, { status: 'delivered', delivered_at, confirmation });
    }
    case 'message.failed':
      return changed(client, conversation_id, id, { status: 'failed', error: event.data.error as Message['error'] });
    case 'message.updated':
      return changed(client, conversation_id, id, editOf(event.data));
    case 'message.read':
      return changed(client, conversation_id, id, { read_at: event.data.read_at });
  }
}

function editOf({
  change,
  content,
  at,
}: Extract<MessageEvent, { type: 'message.updated' }>['data']): Partial<ShownMessage> {
  return change === 'deleted' ? { content, edited_at: null, deleted_at: at } : { content, edited_at: at };
}

function messageOf(event: NewMessageEvent): ShownMessage {
  const { message_id: id, conversation_id, platform, content, attachments } = event.data;
  const common = { ...BARE, id, conversation_id, platform, content, attachments };
  if (event.type === 'message.received') {
    const { timestamp: created_at, interactive_reply = null, reply_to, sender } = event.data;
    const received = { direction: 'inbound', status: 'received', created_at } as const;
    return { ...common, ...received, interactive_reply, reply_to, sender };
  }
  const { ai_model, tokens, latency_ms } = event.data;
  const cost_usd = ai_model === null ? null : costOf(conversation_id);
  const sent_by = ai_model === null ? 'api' : 'assistant';
  const sent = { direction: 'outbound', status: 'sent', created_at: event.created_at, sent_by } as const;
  return { ...common, ...sent, ai_model, tokens, latency_ms, cost_usd };
}

function countMessage(client: QueryClient, message: ShownMessage): void {
  const { conversation_id, created_at, platform } = message;
  client.setQueryData<Conversation>(
    ['conversation', conversation_id],
    (before) =>
      before && {
        ...before,
        status: 'active',
        last_error: null,
        message_count: before.message_count + 1,
        last_message_at: created_at,
        window: before.window && message.direction === 'inbound' ? openedAt(created_at) : before.window,
      },
  );
  for (const [queryKey, pages] of client.getQueriesData<Pages<ConversationItem>>({ queryKey: ['conversations'] })) {
    const bumped = pages && onTop(pages, message);
    if (bumped) client.setQueryData(queryKey, bumped);
    else refreshSoon(client, queryKey);
  }
  refreshSoon(client, ['unanswered']);
  applyToStatistics(client, created_at, { platform, messages: 1 });
}

const WINDOW_MS = 86_400_000;

/** WhatsApp's reply window starts again with each message of the person. */
function openedAt(at: string): Conversation['window'] {
  return { open: true, expires_at: new Date(Date.parse(at) + WINDOW_MS).toISOString() };
}

const NOT_SENT = new Set<ShownMessage['status']>(['scheduled', 'pending']);

/** Adds the message, unless it is shown. A shown message that was scheduled or pending gets the new status. */
function withMessage(pages: Pages<ShownMessage>, message: ShownMessage): Pages<ShownMessage> {
  const [first, ...rest] = pages.pages;
  if (!first) return pages;
  const shown = pages.pages.flatMap(({ data }) => data).find(({ id }) => id === message.id);
  if (shown && NOT_SENT.has(shown.status)) return withChange(pages, message.id, { status: message.status });
  if (shown) return pages;
  return { ...pages, pages: [{ ...first, data: [message, ...first.data] }, ...rest] };
}

/** Changes a message that the chat shows. */
export function changed(client: QueryClient, conversationId: string, id: string, change: Partial<ShownMessage>): void {
  client.setQueryData<Pages<ShownMessage>>(
    ['messages', conversationId],
    (pages) => pages && withChange(pages, id, change),
  );
}
