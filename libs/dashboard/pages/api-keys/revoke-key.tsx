import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey } from '#client';
import { useGateway } from '../../api/gateway';
import { Confirm } from '../../components/feedback/confirm';
import { Notice } from '../../components/feedback/notice';
import { showDone, showFault } from '../../components/feedback/notify';
import { masked, type Session } from '../../session/session';
import { useSession } from '../../session/use-session';

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const { keys } = useSession();
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
      {apiKey && isInUse(apiKey, keys) && (
        <Notice icon={<ExclamationTriangleIcon />} mb="sm" title="You are signed in with this key">
          Once it is revoked, you are signed out of this environment. Make sure that you have another key.
        </Notice>
      )}
      Programs that use <b dir="auto">{apiKey?.name}</b> ({apiKey?.masked_key}) are refused within a second. This cannot
      be undone.
    </Confirm>
  );
}

function isInUse({ environment, masked_key }: ApiKey, keys: Session['keys']): boolean {
  const key = keys[environment];
  return key !== undefined && masked(key) === masked_key;
}
