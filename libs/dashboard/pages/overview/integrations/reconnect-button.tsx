import { Button } from '@mantine/core';
import { UpdateIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { showDone, showFault } from '../../../components/feedback/notify';

interface ReconnectButtonProps {
  /** A platform, which means all its accounts, or the id of an account. */
  target: string;
  name: string;
}

/** Connects a platform or an account again. */
export function ReconnectButton({ target, name }: ReconnectButtonProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const reconnect = useMutation({
    mutationFn: () => gateway.integrations.reconnect(target),
    onSuccess: () => {
      showDone(`${name} is reconnecting.`);
      void client.invalidateQueries({ queryKey: ['problems'] });
      void client.invalidateQueries({ queryKey: ['integrations'] });
      return client.invalidateQueries({ queryKey: ['status'] });
    },
    onError: showFault,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<UpdateIcon />}
      loading={reconnect.isPending}
      onClick={() => reconnect.mutate()}
    >
      Reconnect
    </Button>
  );
}
