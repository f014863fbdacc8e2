import { useInfiniteQuery } from '@tanstack/react-query';
import type { Message } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';

/** The assistant's newest answer in a conversation, and the person's message before it. */
export function useStoredAnswer(conversationId: string | null): {
  answer: Message | undefined;
  question: Message | undefined;
  isLoading: boolean;
} {
  const { data, isLoading } = useInfiniteQuery({
    ...queries.messages(useGateway(), conversationId ?? ''),
    enabled: conversationId !== null,
  });
  const messages = data?.pages[0]?.data ?? [];
  const answer = messages.find(({ direction, ai_model }) => direction === 'outbound' && ai_model !== null);
  const before = answer ? messages.slice(messages.indexOf(answer)) : messages;
  return { answer, question: before.find(({ direction }) => direction === 'inbound'), isLoading };
}
