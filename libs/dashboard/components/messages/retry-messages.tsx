import { Button } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { useMay } from '../../session/use-session';
import { showDone, showFault } from '../feedback/notify';
import { retryMessage } from './retry-message';

/** Sends failed messages again, each as a new message. */
export function RetryMessages({ ids }: { ids: readonly string[] }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const mayWrite = useMay('write:messages');
  const retry = useMutation({
    mutationFn: () => Promise.all(ids.map((id) => retryMessage(gateway, id))),
    onSuccess: (results) => {
      const failed = results.filter(({ status }) => status === 'failed');
      if (failed.length === 0)
        showDone(ids.length === 1 ? 'The message is sent again.' : 'The messages are sent again.');
      else showFault(new Error(failed[0]!.error?.message ?? 'The message failed again.'));
      return Promise.all(
        ['problems', 'failures', 'messages', 'timeline'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError: showFault,
  });
  if (!mayWrite || ids.length === 0) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<ReloadIcon />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {ids.length === 1 ? 'Send again' : `Send the newest ${ids.length} again`}
    </Button>
  );
}
