import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { faultsByField } from '../../api/fault';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { followDeliveries } from './follow-deliveries';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import { counted } from '../../format/number';
import { localTime } from '../../format/time';

/** Sends the events that a webhook has missed since a time. */
export function ReplayForm({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const form = useForm({ initialValues: { since: '' } });
  const { data: missed } = useQuery(queries.missed(gateway, webhookId));
  const proposed = missed && localTime(missed.since, 'seconds');
  const { setValues } = form;
  useEffect(() => {
    if (proposed) setValues((before) => (before.since === '' ? { since: proposed } : before));
  }, [proposed, setValues]);
  const replay = useMutation({
    mutationFn: (since: string) => gateway.webhooks.replay(webhookId, { since: new Date(since).toISOString() }),
    onSuccess: ({ events_queued }) => {
      showDone(`${counted(events_queued, 'event')} will be sent again.`);
      onClose();
      followDeliveries(client, webhookId);
    },
    onError: (error) => form.setErrors(faultsByField(error)),
  });
  return (
    <FormModal
      title="Replay missed events"
      submit="Replay"
      request={replay}
      disabled={form.values.since === ''}
      onSubmit={form.onSubmit(({ since }) => replay.mutate(since))}
      onClose={onClose}
    >
      <TextInput
        type="datetime-local"
        label="Since"
        description="Every event since then that was not delivered is sent again."
        step={1}
        data-autofocus
        {...form.getInputProps('since')}
      />
      {missed && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={() => form.setFieldValue('since', proposed!)}>
            {`Since the last success (${counted(missed.events, 'event')}${missed.hasMore ? ' or more' : ''})`}
          </Button>
        </Group>
      )}
    </FormModal>
  );
}
