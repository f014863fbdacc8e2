import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import { counted } from '../../format/number';

/** Sends again what a webhook has missed since a time. */
export function ReplayForm({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [since, setSince] = useState('');
  const replay = useMutation({
    mutationFn: () => gateway.webhooks.replay(webhookId, { since: new Date(since).toISOString() }),
    onSuccess: ({ events_queued }) => {
      showDone(`${counted(events_queued, 'event')} will be sent again.`);
      onClose();
      return client.invalidateQueries({ queryKey: ['deliveries', webhookId] });
    },
  });
  return (
    <FormModal
      title="Replay what was missed"
      submit="Replay"
      request={replay}
      disabled={since === ''}
      onSubmit={() => replay.mutate()}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="Since"
        description="Every event since then that was not delivered is sent again."
        value={since}
        onChange={({ currentTarget }) => setSince(currentTarget.value)}
        data-autofocus
      />
    </FormModal>
  );
}
