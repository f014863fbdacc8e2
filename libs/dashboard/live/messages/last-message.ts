import type { QueryClient } from '@tanstack/react-query';
import type { ConversationItem } from '#client';
import type { MessageEvent, ShownMessage } from './shown-message';
import { withChange, type Pages } from './pages';

/** Changes a message in the list of conversations, if the message is the conversation's last. */
export function changeLast(
  client: QueryClient,
  { conversation_id, message_id }: MessageEvent['data'],
  change: Partial<Pick<ShownMessage, 'status' | 'content'>>,
): void {
  client.setQueriesData<Pages<ConversationItem>>({ queryKey: ['conversations'] }, (list) => {
    const item = list?.pages.flatMap(({ data }) => data).find(({ id }) => id === conversation_id);
    if (!list || item?.last_message?.id !== message_id) return list;
    return withChange(list, conversation_id, { last_message: { ...item.last_message, ...change } });
  });
}

/**
 * Moves the message's conversation to the top of the list; undefined if the list must be read again: it lacks the conversation, or the
 * message may be the scheduled one.
 */
export function onTop(pages: Pages<ConversationItem>, message: ShownMessage): Pages<ConversationItem> | undefined {
  const { conversation_id, created_at, id, direction, status, content } = message;
  const found = pages.pages.flatMap(({ data }) => data).find((conversation) => conversation.id === conversation_id);
  if (!found || (found.next_send_at && direction === 'outbound')) return undefined;
  const newest = {
    ...found,
    last_error: null,
    message_count: found.message_count + 1,
    last_message_at: created_at,
    last_message: { id, direction, status, content },
    ...(direction === 'inbound' && { last_inbound: { id, content } }),
  };
  const others = pages.pages.map((page) => ({
    ...page,
    data: page.data.filter((conversation) => conversation.id !== conversation_id),
  }));
  const [first, ...rest] = others;
  return { ...pages, pages: [{ ...first!, data: [newest, ...first!.data] }, ...rest] };
}
