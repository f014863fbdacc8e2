import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { showDone, showFault } from '../../../components/feedback/notify';
import { resend } from '../../../components/messages/retry-message';
import type { ShownMessage } from '../../../live/messages/shown-message';

interface RetryButtonProps {
  message: ShownMessage;
  recipient: string;
}

/** Sends the content of a failed message as a new message; only once, see `resend`. */
export function RetryButton({ message, recipient }: RetryButtonProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const { conversation_id } = message;
  const retry = useMutation({
    mutationFn: () => resend(gateway, message, recipient),
    onSuccess: ({ status }) => {
      if (status !== 'failed') showDone('The message was sent again.');
      return client.invalidateQueries({ queryKey: ['messages', conversation_id] });
    },
    onError: showFault,
  });
  const isDone = retry.isSuccess;
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={retry.isPending}
      disabled={isDone}
      onClick={() => retry.mutate()}
    >
      {isDone ? 'Sent again' : 'Send again'}
    </Button>
  );
}
