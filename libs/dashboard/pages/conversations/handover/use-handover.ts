import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationTakeOverParams } from '#client';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';

/** Takes a conversation over, hands it back, and asks the assistant again. */
export function useHandover(id: string) {
  const gateway = useGateway();
  const client = useQueryClient();
  const onSuccess = (changed: Conversation) => {
    client.setQueryData<Conversation>(['conversation', id], (before) => ({ ...before, ...changed }));
    void client.invalidateQueries({ queryKey: ['conversations'] });
    for (const name of ['waiting', 'unanswered', 'with-people', 'handovers'])
      void client.invalidateQueries({ queryKey: [name] });
  };
  const takeOver = useMutation({
    mutationFn: (terms: ConversationTakeOverParams) => gateway.conversations.takeOver(id, terms),
    onSuccess,
  });
  const handBack = useMutation({
    mutationFn: () => gateway.conversations.resume(id),
    onSuccess,
    onError: showFault,
  });
  const askAgain = useMutation({
    mutationFn: () => gateway.conversations.answer(id),
    onSuccess,
    onError: showFault,
  });
  return { takeOver, handBack, askAgain };
}
