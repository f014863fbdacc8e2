import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation } from '#client';
import { useGateway } from '../../../api/gateway';
import type { Content } from './content';

/** Sends as the business. What goes at once takes the conversation over. */
export function useSend({ id, platform, participant }: Conversation) {
  const gateway = useGateway();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (content: Content) =>
      gateway.messages.send({
        platform,
        // The page shows no composer for a conversation that is erased.
        recipient: participant.id ?? '',
        ...content,
        options: { take_over: content.send_at === undefined },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['conversation', id] });
      void client.invalidateQueries({ queryKey: ['messages', id] });
    },
  });
}
