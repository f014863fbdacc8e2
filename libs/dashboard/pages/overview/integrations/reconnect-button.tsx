import { Button } from '@mantine/core';
import { UpdateIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { showDone, showFault } from '../../../components/feedback/notify';
import { PLATFORMS, type Platform } from '../../../components/people/platform';

/** Connects a platform again. */
export function ReconnectButton({ platform }: { platform: Platform }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const reconnect = useMutation({
    mutationFn: () => gateway.integrations.reconnect(platform),
    onSuccess: () => {
      showDone(`${PLATFORMS[platform].name} is reconnecting.`);
      void client.invalidateQueries({ queryKey: ['problems'] });
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
