import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { showFault } from '../../../components/feedback/notify';
import { Time } from '../../../components/time';
import { changed } from '../../../live/apply-message-event';
import type { ShownMessage } from '../../../live/messages/shown-message';

/** Shows when a message will be sent, with a button to cancel it. */
export function Scheduled({ message, mayWrite }: { message: ShownMessage; mayWrite: boolean }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const { id, conversation_id, send_at } = message;
  const cancel = useMutation({
    mutationFn: () => gateway.messages.cancel(id),
    onSuccess: () => {
      changed(client, conversation_id, id, { status: 'cancelled' });
      void client.invalidateQueries({ queryKey: ['conversations'] });
    },
    onError: async (error) => {
      showFault(error);
      await client.invalidateQueries({ queryKey: ['messages', conversation_id] });
    },
  });
  return (
    <span>
      Will be sent <Time value={send_at} form="short" />{' '}
      {mayWrite && (
        <Button size="compact-xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel it
        </Button>
      )}
    </span>
  );
}
