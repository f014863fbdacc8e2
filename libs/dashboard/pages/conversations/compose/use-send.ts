import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation } from '#client';
import { useGateway } from '../../../api/gateway';
import type { Content } from './content';

/** Sends as the business. An unscheduled message takes over the conversation from the assistant. */
export function useSend({ id, platform, participant }: Conversation) {
  const gateway = useGateway();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (content: Content) =>
      gateway.messages.send({
        platform,
        // Null only in erased conversations, which have no composer.
        recipient: participant.id ?? '',
        ...content,
        options: { take_over: content.send_at === undefined },
      }),
    onSuccess: (_sent, { send_at }) => {
      void client.invalidateQueries({ queryKey: ['conversation', id] });
      void client.invalidateQueries({ queryKey: ['messages', id] });
      if (send_at !== undefined) void client.invalidateQueries({ queryKey: ['conversations'] });
    },
  });
}
