import type { Message, MessageListParams, MessagingGateway } from '#client';

/**
 * A page of a conversation's messages, newest first. The first page also has the scheduled ones, which have no place in their
 * conversation yet, so that its list does not contain them.
 */
export async function conversationMessages(
  gateway: MessagingGateway,
  query: MessageListParams & { page: number },
  signal: AbortSignal,
) {
  const list = (more: MessageListParams) => gateway.messages.list({ ...query, ...more, expand: 'usage' }, { signal });
  const [placed, scheduled] = await Promise.all([
    list({}),
    query.page === 1 ? list({ status: 'scheduled' }) : undefined,
  ]);
  const data = [...placed.data, ...(scheduled?.data ?? [])] as Message[];
  return {
    data: data.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1)),
    pagination: placed.pagination,
  };
}
