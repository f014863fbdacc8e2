import { Button } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { useMay } from '../../session/use-session';
import { Confirm } from '../feedback/confirm';
import { showDone, showFault } from '../feedback/notify';
import { retryMessage } from './retry-message';

interface RetryMessagesProps {
  ids: readonly string[];
  /** Called when the platform has accepted all of them. */
  onSent?: () => unknown;
}

/** Sends failed messages again, each as a new message. It asks before it sends several. */
export function RetryMessages({ ids, onSent }: RetryMessagesProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const mayWrite = useMay('write:messages');
  const [asking, setAsking] = useState(false);
  const retry = useMutation({
    mutationFn: () => Promise.all(ids.map((id) => retryMessage(gateway, id))),
    onSuccess: async (results) => {
      const failed = results.filter(({ status }) => status === 'failed');
      if (failed.length === 0) {
        showDone(ids.length === 1 ? 'The message is sent again.' : 'The messages are sent again.');
        await onSent?.();
      } else showFault(new Error(failed[0]!.error?.message ?? 'The message failed again.'));
      return Promise.all(
        ['problems', 'failures', 'messages', 'timeline'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError: showFault,
    onSettled: () => setAsking(false),
  });
  if (!mayWrite || ids.length === 0) return null;
  const isOne = ids.length === 1;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<ReloadIcon />}
        loading={retry.isPending}
        onClick={() => (isOne ? retry.mutate() : setAsking(true))}
      >
        {isOne ? 'Send again' : `Send the newest ${ids.length} again`}
      </Button>
      <Confirm
        opened={asking}
        title={`Send ${ids.length} messages again?`}
        confirm={`Send ${ids.length} messages`}
        danger={false}
        busy={retry.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => retry.mutate()}
      >
        Each recipient gets the message now. The assistant keeps the conversations.
      </Confirm>
    </>
  );
}
