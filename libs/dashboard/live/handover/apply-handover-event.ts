import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationItem, Pagination } from '#client';
import type { LiveEvent } from '../live-event';
import { refreshSoon } from '../refresh-soon';

export type HandoverEvent = Extract<LiveEvent, { type: `conversation.handover_${string}` | 'conversation.resumed' }>;
type State = Pick<ConversationItem, 'handling' | 'handover'>;
type Pages = InfiniteData<{ data: ConversationItem[]; pagination: Pagination }>;

/** Shows at once who handles the conversation. Reads note and timer soon after, because the event lacks them. */
export function applyHandoverEvent(client: QueryClient, event: HandoverEvent): void {
  const { conversation_id: id } = event.data;
  client.setQueryData<Conversation>(['conversation', id], (before) => {
    const state = before && stateAfter(event, before);
    return before && state && { ...before, ...state, ai_paused: state.handling !== 'assistant' };
  });
  client.setQueriesData<Pages>({ queryKey: ['conversations'] }, (list) => list && inList(list, event));
  for (const queryKey of [...handlingQueries(id), ['conversation', id]]) refreshSoon(client, queryKey);
}

/** Keys of the cached data that changes with the handling of a conversation, beside the conversation itself. */
export function handlingQueries(id: string): string[][] {
  return [['waiting'], ['unanswered'], ['with-people'], ['handovers', id], ['conversations']];
}

function inList(list: Pages, event: HandoverEvent): Pages {
  const { conversation_id: id } = event.data;
  if (!list.pages.some(({ data }) => data.some((item) => item.id === id))) return list;
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.map((item) => (item.id === id ? { ...item, ...stateAfter(event, item) } : item)),
  }));
  return { ...list, pages };
}

const EMPTY = {
  reason: null,
  summary: null,
  note: null,
  assignee: null,
  requested_at: null,
  taken_at: null,
  resume_at: null,
} as const;

function stateAfter({ type, data }: HandoverEvent, { handover }: State): State {
  const { reason, summary, assignee, at } = data;
  if (type === 'conversation.resumed') return { handling: 'assistant', handover: null };
  if (type === 'conversation.handover_requested')
    return { handling: 'requested', handover: { ...EMPTY, reason, summary, assignee, requested_at: at } };
  return { handling: 'human', handover: { ...EMPTY, ...handover, reason, summary, assignee, taken_at: at } };
}
