import type { Conversation, ConversationListParams } from '#client';
import { withoutEmpty } from '../../../components/hooks/use-search-filter';

/** The state of the list in the page's URL. */
export interface ConversationSearch {
  q?: string;
  platform?: string;
  account_id?: string;
  status?: string;
  show?: string;
}

export const TABS = [
  { value: 'mine', label: 'Mine' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'unanswered', label: 'Unanswered' },
  { value: 'all', label: 'All' },
] as const;

/** Views beside the tabs. */
export const FURTHER_VIEWS = [
  { value: 'paused', label: 'With a person' },
  { value: 'failed', label: 'With failed messages' },
] as const;

const SELECTED: Readonly<Record<string, ConversationListParams>> = {
  // Oldest last message first, which mostly means longest wait first: later pages have shorter waits.
  waiting: { handling: 'requested', sort: 'last_message_at' },
  paused: { handling: 'human' },
  mine: { handling: 'human' },
  unanswered: { unanswered: true },
};

/** A number as people write it; the platforms' ids have only its digits. */
const PHONE_NUMBER = /^\+?[\d\s()./-]{6,}$/;

export function queryOf({ show, q = '', ...filters }: ConversationSearch): ConversationListParams {
  const name = PHONE_NUMBER.test(q.trim()) ? q.replaceAll(/\D/g, '') : q;
  return {
    expand: 'last_message',
    ...withoutEmpty<ConversationListParams>({ ...filters, q: name } as object),
    ...SELECTED[show ?? ''],
  };
}

/** Whether a conversation matches the search text and the status. */
export function isSelected({ q = '', status }: ConversationSearch, { participant, ...item }: Conversation): boolean {
  const names = [participant.name, participant.username, participant.id];
  const isFound = names.some((name) => name?.toLowerCase().includes(q.toLowerCase()));
  return isFound && (!status || item.status === status);
}
