import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationUpdateParams } from '#client';
import { useGateway } from '../../api/gateway';
import { showDone, showFault } from '../../components/feedback/notify';
import { counted } from '../../format/number';

export function useConversationActions(id: string) {
  const gateway = useGateway();
  const client = useQueryClient();
  const queryKey = ['conversation', id];
  const change = useMutation({
    mutationFn: (wanted: ConversationUpdateParams) => gateway.conversations.update(id, wanted),
    onSuccess: (changed: Conversation) => {
      client.setQueryData<Conversation>(queryKey, (before) => ({ ...before, ...changed }));
      void client.invalidateQueries({ queryKey: ['conversations'] });
    },
    onError: showFault,
  });
  const clear = useMutation({
    mutationFn: () => gateway.conversations.clear(id),
    onSuccess: ({ messages_cleared, cleared_at }) => {
      client.setQueryData<Conversation>(queryKey, (before) => before && { ...before, cleared_at });
      showDone(`The assistant has forgotten ${counted(messages_cleared, 'message')}.`);
    },
    onError: showFault,
  });
  return { change, clear };
}
