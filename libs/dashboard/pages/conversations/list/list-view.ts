import type { Conversation, ConversationListParams } from '#client';
import { withoutEmpty } from '../../../components/hooks/use-search-filter';

/** The state of the list in the page's URL. */
export interface ConversationSearch {
  q?: string;
  platform?: string;
  status?: string;
  show?: string;
}

export const VIEWS = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting for a person' },
  { value: 'paused', label: 'With a person' },
  { value: 'failed', label: 'With failed messages' },
] as const;

const HANDLING: Readonly<Record<string, ConversationListParams>> = {
  // Oldest last message first, which mostly means longest wait first: later pages have shorter waits.
  waiting: { handling: 'requested', sort: 'last_message_at' },
  paused: { handling: 'human' },
};

export function queryOf({ show, ...filters }: ConversationSearch): ConversationListParams {
  return { expand: 'last_message', ...(withoutEmpty(filters) as ConversationListParams), ...HANDLING[show ?? ''] };
}

/** Whether a conversation matches the search text and the status. */
export function isSelected({ q = '', status }: ConversationSearch, { participant, ...item }: Conversation): boolean {
  const names = [participant.name, participant.username, participant.id];
  const isFound = names.some((name) => name?.toLowerCase().includes(q.toLowerCase()));
  return isFound && (!status || item.status === status);
}
