import type { Conversation, ConversationListParams } from '#client';
import { withoutEmpty } from '../../../components/hooks/use-search-filter';

/** The state of the list that is in the address of the page. */
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
  // Who wrote last long ago mostly waits longest: later pages hold shorter waits.
  waiting: { handling: 'requested', sort: 'last_message_at' },
  paused: { handling: 'human' },
};

export function queryOf({ show, ...filters }: ConversationSearch): ConversationListParams {
  return { expand: 'last_message', ...(withoutEmpty(filters) as ConversationListParams), ...HANDLING[show ?? ''] };
}

/** Whether the search and the status select it. */
export function isSelected({ q = '', status }: ConversationSearch, { participant, ...item }: Conversation): boolean {
  const names = [participant.name, participant.username, participant.id];
  const isFound = names.some((name) => name?.toLowerCase().includes(q.toLowerCase()));
  return isFound && (!status || item.status === status);
}
