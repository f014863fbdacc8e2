import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '#client';
import { useGateway } from '../../api/gateway';
import { Confirm } from '../../components/feedback/confirm';
import { showDone, showFault } from '../../components/feedback/notify';

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => gateway.apiKeys.revoke(id),
    onSuccess: () => {
      showDone('The key is revoked.');
      return client.invalidateQueries({ queryKey: ['api-keys'] });
    },
    onError: showFault,
    onSettled: onClose,
  });
  return (
    <Confirm
      opened={apiKey !== undefined}
      title="Revoke the key?"
      confirm="Revoke"
      busy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => apiKey && revoke.mutate(apiKey.id)}
    >
      Programs that use <b dir="auto">{apiKey?.name}</b> ({apiKey?.masked_key}) are refused within a second. This cannot
      be undone.
    </Confirm>
  );
}
