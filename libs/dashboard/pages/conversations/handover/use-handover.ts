import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationTakeOverParams } from '#client';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';
import { handlingQueries } from '../../../live/handover/apply-handover-event';

/** Takes a conversation over, hands it back, and asks the assistant again. */
export function useHandover(id: string) {
  const gateway = useGateway();
  const client = useQueryClient();
  const onSuccess = (changed: Conversation) => {
    client.setQueryData<Conversation>(['conversation', id], (before) => ({ ...before, ...changed }));
    for (const queryKey of handlingQueries(id)) void client.invalidateQueries({ queryKey });
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
