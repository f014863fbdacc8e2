import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationItem, Message, Pagination } from '#client';
import { costOf } from './answer-costs';
import { applyToStatistics } from './apply-statistics';
import type { LiveEvent } from './live-event';
import { refreshSoon } from './refresh-soon';

export type MessageEvent = Extract<LiveEvent, { type: `message.${string}` }>;
type NewMessageEvent = Extract<MessageEvent, { type: 'message.received' | 'message.sent' }>;
type Pages<T> = InfiniteData<{ data: T[]; pagination: Pagination }>;

export function isMessageEvent(event: LiveEvent): event is MessageEvent {
  return event.type.startsWith('message.');
}

/** Shows it in its conversation and counts it. */
export function applyMessageEvent(client: QueryClient, event: MessageEvent): void {
  showInChat(client, event);
  switch (event.type) {
    case 'message.received':
    case 'message.sent':
      // The event of a client's message tells neither its buttons nor who sent it.
      if (event.type === 'message.sent' && event.data.ai_model === null)
        refreshSoon(client, ['messages', event.data.conversation_id]);
      return countMessage(client, messageOf(event));
    case 'message.failed':
      for (const queryKey of [['failures'], ['failed-conversations'], ['messages', event.data.conversation_id]])
        refreshSoon(client, queryKey);
      return changeLast(client, event.data, 'failed');
    case 'message.delivered':
      return changeLast(client, event.data, 'delivered');
  }
}

/** Shows it in its conversation. To show it again changes nothing. */
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
  }
}

function messageOf(event: NewMessageEvent): ShownMessage {
  const { message_id: id, conversation_id, platform, content, attachments } = event.data;
  const common = { ...BARE, id, conversation_id, platform, content, attachments };
  if (event.type === 'message.received') {
    const { timestamp: created_at, interactive_reply = null } = event.data;
    return { ...common, direction: 'inbound', status: 'received', created_at, interactive_reply };
  }
  const { ai_model, tokens, latency_ms } = event.data;
  const cost_usd = ai_model === null ? null : costOf(conversation_id);
  const sent_by = ai_model === null ? 'api' : 'assistant';
  const sent = { direction: 'outbound', status: 'sent', created_at: event.created_at, sent_by } as const;
  return { ...common, ...sent, ai_model, tokens, latency_ms, cost_usd };
}

/** What an event of a new message does not tell is not so yet. */
const BARE = {
  delivered_at: null,
  read_at: null,
  confirmation: null,
  ai_model: null,
  tokens: null,
  latency_ms: null,
  cost_usd: null,
  error: null,
  sent_by: null,
  send_at: null,
  interactive: null,
  interactive_reply: null,
} as const;

/** The fields that pages show. A field that only the API has needs no value here. */
export type ShownMessage = Pick<
  Message,
  | 'id'
  | 'conversation_id'
  | 'platform'
  | 'direction'
  | 'content'
  | 'attachments'
  | 'status'
  | 'created_at'
  | keyof typeof BARE
>;

function countMessage(client: QueryClient, message: ShownMessage): void {
  const { conversation_id, created_at, platform } = message;
  client.setQueryData<Conversation>(
    ['conversation', conversation_id],
    (before) =>
      before && { ...before, status: 'active', message_count: before.message_count + 1, last_message_at: created_at },
  );
  for (const [queryKey, pages] of client.getQueriesData<Pages<ConversationItem>>({ queryKey: ['conversations'] })) {
    const bumped = pages && onTop(pages, message);
    if (bumped) client.setQueryData(queryKey, bumped);
    else refreshSoon(client, queryKey);
  }
  applyToStatistics(client, created_at, { platform, messages: 1 });
}

const NOT_SENT = new Set<ShownMessage['status']>(['scheduled', 'pending']);

/** A message that is shown already is not shown twice; one that waited is sent now. */
function withMessage(pages: Pages<ShownMessage>, message: ShownMessage): Pages<ShownMessage> {
  const [first, ...rest] = pages.pages;
  if (!first) return pages;
  const shown = pages.pages.flatMap(({ data }) => data).find(({ id }) => id === message.id);
  if (shown && NOT_SENT.has(shown.status)) return withChange(pages, message.id, { status: message.status });
  if (shown) return pages;
  return { ...pages, pages: [{ ...first, data: [message, ...first.data] }, ...rest] };
}

function changed(client: QueryClient, conversationId: string, id: string, change: Partial<ShownMessage>): void {
  client.setQueryData<Pages<ShownMessage>>(
    ['messages', conversationId],
    (pages) => pages && withChange(pages, id, change),
  );
}

function withChange<T extends { id: string }>(list: Pages<T>, id: string, change: Partial<T>): Pages<T> {
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.map((item) => (item.id === id ? { ...item, ...change } : item)),
  }));
  return { ...list, pages };
}

/** In the list of conversations, if the message is the newest one there. */
function changeLast(
  client: QueryClient,
  { conversation_id, message_id }: MessageEvent['data'],
  status: ShownMessage['status'],
): void {
  client.setQueriesData<Pages<ConversationItem>>({ queryKey: ['conversations'] }, (list) => {
    const item = list?.pages.flatMap(({ data }) => data).find(({ id }) => id === conversation_id);
    if (!list || item?.last_message?.id !== message_id) return list;
    return withChange(list, conversation_id, { last_message: { ...item.last_message, status } });
  });
}

/** The conversation as the first of the list; undefined if the list does not have it. */
function onTop(pages: Pages<ConversationItem>, message: ShownMessage): Pages<ConversationItem> | undefined {
  const { conversation_id, created_at, id, direction, status, content } = message;
  const found = pages.pages.flatMap(({ data }) => data).find((conversation) => conversation.id === conversation_id);
  if (!found) return undefined;
  const newest = {
    ...found,
    message_count: found.message_count + 1,
    last_message_at: created_at,
    last_message: { id, direction, status, content },
  };
  const others = pages.pages.map((page) => ({
    ...page,
    data: page.data.filter((conversation) => conversation.id !== conversation_id),
  }));
  const [first, ...rest] = others;
  return { ...pages, pages: [{ ...first!, data: [newest, ...first!.data] }, ...rest] };
}
