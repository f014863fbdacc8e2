import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedWebhook, Webhook, WebhookCreateParams } from '#client';
import { faultsByField } from '../../api/fault';
import { useGateway } from '../../api/gateway';
import { showDone } from '../../components/feedback/notify';
import { FormModal } from '../../components/form-modal';
import { SecretInput } from '../../components/receivers/secret-input';
import { EventPicker } from './event-picker';
import { WebhookSecret } from './webhook-secret';

interface WebhookValues {
  url: string;
  events: Webhook['events'];
  /** Empty: the gateway generates a secret, or keeps the old one. */
  secret: string;
}

/** Creates a webhook, or changes one. */
export function WebhookForm({ changed, onClose }: { changed?: Webhook; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [created, setCreated] = useState<CreatedWebhook>();
  const form = useForm<WebhookValues>({
    initialValues: { url: changed?.url ?? '', events: changed?.events ?? ['*'], secret: '' },
  });
  const save = useMutation({
    mutationFn: async ({ url, events, secret }: WebhookValues): Promise<CreatedWebhook | undefined> => {
      const values = { url, events: events as WebhookCreateParams['events'], ...(secret !== '' && { secret }) };
      if (!changed) return gateway.webhooks.create(values);
      await gateway.webhooks.update(changed.id, values);
      return undefined;
    },
    onSuccess: (webhook, { secret }) => {
      void client.invalidateQueries({ queryKey: ['webhooks'] });
      void client.invalidateQueries({ queryKey: ['webhook', changed?.id] });
      if (webhook) return setCreated({ ...webhook, secret: webhook.secret ?? secret });
      showDone('Webhook updated.');
      onClose();
    },
    onError: (error) => form.setErrors(faultsByField(error)),
  });
  if (created) return <WebhookSecret created={created} onClose={onClose} />;
  return (
    <FormModal
      title={changed ? 'Change the webhook' : 'Create a webhook'}
      submit={changed ? 'Save' : 'Create'}
      size="lg"
      request={save}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        type="url"
        label="URL"
        description="The gateway sends a POST for each event, over HTTPS. The receiver must answer 2xx before the timeout."
        placeholder="https://example.com/hook"
        maxLength={2_048}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <EventPicker {...form.getInputProps('events')} />
      <SecretInput isChange={changed !== undefined} signed="deliveries" {...form.getInputProps('secret')} />
    </FormModal>
  );
}
