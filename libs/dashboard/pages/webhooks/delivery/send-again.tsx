import { Button, Group, Text } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Delivery, MessagingGateway } from '#client';
import { useGateway } from '../../../api/gateway';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { StatusBadge } from '../../../components/status-badge';
import { followDeliveries } from '../follow-deliveries';
import { milliseconds } from '../../../format/number';

/** Polling interval for the new attempt, in milliseconds. */
const LOOK_MS = 1_000;

interface SendAgainProps {
  webhookId: string;
  delivery: Pick<Delivery, 'id' | 'event_id' | 'event_type'>;
}

/** Sends the event of a delivery again, and shows the receiver's answer. */
export function SendAgain({ webhookId, delivery }: SendAgainProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: async () => {
      const known = await attemptsOf(gateway, webhookId, delivery);
      await gateway.webhooks.redeliver(webhookId, delivery.id);
      return known.map(({ id }) => id);
    },
  });
  const attempt = useQuery({
    queryKey: ['sent-again', delivery.id, send.submittedAt],
    enabled: send.isSuccess,
    refetchInterval: ({ state }) => (state.data ? false : LOOK_MS),
    queryFn: async () => {
      const attempts = await attemptsOf(gateway, webhookId, delivery);
      const found = attempts.find(({ id }) => !send.data!.includes(id)) ?? null;
      if (found) followDeliveries(client, webhookId);
      return found;
    },
  });
  const isWaiting = send.isPending || (send.isSuccess && !attempt.data && !attempt.error);
  return (
    <div>
      <Group gap="md">
        <Button variant="default" leftSection={<ReloadIcon />} loading={isWaiting} onClick={() => send.mutate()}>
          Send again
        </Button>
        <Text size="sm" role="status" component="div">
          {attempt.data ? <Result {...attempt.data} /> : isWaiting && 'Waiting for the receiver’s answer …'}
        </Text>
      </Group>
      {(send.error ?? attempt.error) && <FaultAlert error={send.error ?? attempt.error} />}
    </div>
  );
}

function Result({ status, response_code, response_time_ms, error }: Delivery) {
  return (
    <>
      <StatusBadge status={status}>
        Sent again: {response_code ?? 'no answer'} in {milliseconds(response_time_ms)}
      </StatusBadge>{' '}
      {error}
    </>
  );
}

/** The newest attempts to deliver the event. */
async function attemptsOf(
  gateway: MessagingGateway,
  webhookId: string,
  { event_id, event_type }: SendAgainProps['delivery'],
): Promise<Delivery[]> {
  const { data } = await gateway.webhooks.listDeliveries(webhookId, { event_type, per_page: 100 });
  return data.filter((each) => each.event_id === event_id);
}
