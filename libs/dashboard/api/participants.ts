import type { ConversationItem, MessagingGateway } from '#client';

/** The participants of conversations, each read once, by the conversations' ids. */
export async function participantsOf(
  gateway: MessagingGateway,
  ids: Iterable<string>,
  signal: AbortSignal,
): Promise<Map<string, ConversationItem['participant']>> {
  const read = [...new Set(ids)].map(async (id) => {
    const { participant } = await gateway.conversations.get(id, {}, { signal });
    return [id, participant] as const;
  });
  return new Map(await Promise.all(read));
}
