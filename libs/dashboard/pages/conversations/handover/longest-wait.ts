import type { ConversationItem } from '#client';

/** The waiting conversations, longest wait first. */
export function longestWaitFirst(conversations: readonly ConversationItem[]): ConversationItem[] {
  return conversations
    .filter(({ handling }) => handling === 'requested')
    .toSorted((one, other) => since(one).localeCompare(since(other)));
}

function since({ handover, last_message_at }: ConversationItem): string {
  return handover?.requested_at ?? last_message_at;
}
