import type { Message, MessageListParams, MessagingGateway } from '#client';

/** Statuses of messages that have no place in their conversation, so that its list does not contain them. */
const UNPLACED = ['scheduled', 'cancelled'] as const;

/**
 * A page of a conversation's messages, newest first. The first page also has the scheduled ones, and the cancelled ones of
 * its time.
 */
export async function conversationMessages(
  gateway: MessagingGateway,
  query: MessageListParams & { page: number },
  signal: AbortSignal,
) {
  const list = (more: MessageListParams) => gateway.messages.list({ ...query, ...more, expand: 'usage' }, { signal });
  const [placed, ...others] = await Promise.all([
    list({}),
    ...(query.page === 1 ? UNPLACED.map((status) => list({ status })) : []),
  ]);
  const { pagination } = placed;
  const data = placed.data as Message[];
  const oldest = pagination.total_pages > 1 ? (data.at(-1)?.created_at ?? '') : '';
  const shown = (others.flatMap((page) => page.data) as Message[]).filter(
    ({ status, created_at }) => status === 'scheduled' || created_at >= oldest,
  );
  return {
    data: [...data, ...shown].toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1)),
    pagination,
  };
}
