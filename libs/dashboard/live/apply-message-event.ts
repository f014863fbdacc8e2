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
      return countMessage(client, messageOf(event));
    case 'message.failed':
      refreshSoon(client, ['failures']);
      return refreshSoon(client, ['messages', event.data.conversation_id]);
    case 'message.delivered':
      return undefined;
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
  const { message_id: id, conversation_id, platform, content } = event.data;
  const common = { ...BARE, id, conversation_id, platform, content };
  if (event.type === 'message.received')
    return { ...common, direction: 'inbound', status: 'received', created_at: event.data.timestamp };
  const { ai_model, tokens, latency_ms } = event.data;
  const cost_usd = ai_model === null ? null : costOf(conversation_id);
  const sent = { direction: 'outbound', status: 'sent', created_at: event.created_at } as const;
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
} as const;

/** The fields that pages show. A field that only the API has needs no value here. */
export type ShownMessage = Pick<
  Message,
  'id' | 'conversation_id' | 'platform' | 'direction' | 'content' | 'status' | 'created_at' | keyof typeof BARE
>;

function countMessage(client: QueryClient, { conversation_id, created_at, platform }: ShownMessage): void {
  client.setQueryData<Conversation>(
    ['conversation', conversation_id],
    (before) =>
      before && { ...before, status: 'active', message_count: before.message_count + 1, last_message_at: created_at },
  );
  for (const [queryKey, pages] of client.getQueriesData<Pages<ConversationItem>>({ queryKey: ['conversations'] })) {
    const bumped = pages && onTop(pages, conversation_id, created_at);
    if (bumped) client.setQueryData(queryKey, bumped);
    else refreshSoon(client, queryKey);
  }
  applyToStatistics(client, created_at, { platform, messages: 1 });
}

/** A message that is shown already is not shown twice. */
function withMessage(pages: Pages<ShownMessage>, message: ShownMessage): Pages<ShownMessage> {
  const [first, ...rest] = pages.pages;
  if (!first || pages.pages.some(({ data }) => data.some(({ id }) => id === message.id))) return pages;
  return { ...pages, pages: [{ ...first, data: [message, ...first.data] }, ...rest] };
}

function changed(client: QueryClient, conversationId: string, id: string, change: Partial<ShownMessage>): void {
  client.setQueryData<Pages<ShownMessage>>(
    ['messages', conversationId],
    (pages) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({
          ...page,
          data: page.data.map((message) => (message.id === id ? { ...message, ...change } : message)),
        })),
      },
  );
}

/** The conversation as the first of the list; undefined if the list does not have it. */
function onTop(pages: Pages<ConversationItem>, id: string, at: string): Pages<ConversationItem> | undefined {
  const found = pages.pages.flatMap(({ data }) => data).find((conversation) => conversation.id === id);
  if (!found) return undefined;
  const newest = { ...found, message_count: found.message_count + 1, last_message_at: at };
  const others = pages.pages.map((page) => ({
    ...page,
    data: page.data.filter((conversation) => conversation.id !== id),
  }));
  const [first, ...rest] = others;
  return { ...pages, pages: [{ ...first!, data: [newest, ...first!.data] }, ...rest] };
}
