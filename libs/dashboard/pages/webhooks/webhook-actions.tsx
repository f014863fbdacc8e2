import { Button, Menu } from '@mantine/core';
import { CounterClockwiseClockIcon, PauseIcon, Pencil1Icon, PlayIcon, TrashIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '#client';
import { useGateway } from '../../api/gateway';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/feedback/confirm';
import { showDone, showFault } from '../../components/feedback/notify';
import { ReplayForm } from './replay-form';
import { WebhookForm } from './webhook-form';

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'change' | 'replay' | 'delete'>();
  const close = () => setShown(undefined);
  const refresh = () =>
    Promise.all(
      [['webhook', webhook.id], ['webhooks'], ['deliveries', webhook.id]].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const test = useMutation({
    mutationFn: () => gateway.webhooks.test(webhook.id),
    onSuccess: ({ status, response_code, error }) => {
      if (status === 'success') showDone(`The receiver answered ${response_code}.`);
      else showFault(new Error(error ?? `The receiver answered ${response_code}.`));
      return refresh();
    },
    onError: showFault,
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) => gateway.webhooks.update(webhook.id, { enabled }),
    onSuccess: refresh,
    onError: showFault,
  });
  const remove = useMutation({
    mutationFn: () => gateway.webhooks.delete(webhook.id),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' });
      void client.invalidateQueries({ queryKey: ['webhooks'] });
    },
    onError: showFault,
  });
  const isActive = webhook.status === 'active';
  return (
    <>
      {isActive ? (
        <Button variant="default" leftSection={<PlayIcon />} loading={test.isPending} onClick={() => test.mutate()}>
          Send a test event
        </Button>
      ) : (
        <Button leftSection={<PlayIcon />} loading={enable.isPending} onClick={() => enable.mutate(true)}>
          Re-enable
        </Button>
      )}
      <ActionsMenu>
        <Menu.Item leftSection={<Pencil1Icon />} onClick={() => setShown('change')}>
          Change
        </Menu.Item>
        <Menu.Item leftSection={<CounterClockwiseClockIcon />} onClick={() => setShown('replay')}>
          Replay missed events
        </Menu.Item>
        {isActive && (
          <Menu.Item leftSection={<PauseIcon />} onClick={() => enable.mutate(false)}>
            Disable
          </Menu.Item>
        )}
        <Menu.Item leftSection={<TrashIcon />} onClick={() => setShown('delete')}>
          Delete
        </Menu.Item>
      </ActionsMenu>
      {shown === 'change' && <WebhookForm changed={webhook} onClose={close} />}
      {shown === 'replay' && <ReplayForm webhookId={webhook.id} onClose={close} />}
      <Confirm
        opened={shown === 'delete'}
        title="Delete the webhook?"
        confirm="Delete"
        busy={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate()}
      >
        The gateway stops posting to {webhook.url} and drops the deliveries that are due. This cannot be undone.
      </Confirm>
    </>
  );
}
