import { Button, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Delivery } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { CodeBlock, prettyJson } from '../../components/copy/code-block';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Identifier } from '../../components/copy/identifier';
import { showDone, showFault } from '../../components/feedback/notify';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';

interface DeliveryDetailProps {
  webhookId: string;
  delivery: Delivery;
  onClose: () => void;
}

/** What was posted, and what the receiver answered. */
export function DeliveryDetail({ webhookId, delivery, onClose }: DeliveryDetailProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const { data, error } = useQuery(queries.delivery(gateway, webhookId, delivery.id));
  const redeliver = useMutation({
    mutationFn: () => gateway.webhooks.redeliver(webhookId, delivery.id),
    onSuccess: () => {
      showDone('The event is sent again.');
      onClose();
      return client.invalidateQueries({ queryKey: ['deliveries', webhookId] });
    },
    onError: showFault,
  });
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={delivery.event_type}>
      <Stack gap="lg">
        <Group gap="md">
          <StatusBadge status={delivery.status} />
          <Text size="sm" className="numeric">
            {delivery.response_code ?? 'no answer'} in {milliseconds(delivery.response_time_ms)} · attempt{' '}
            {delivery.attempt}
          </Text>
          <Text size="sm" c="dimmed">
            <Time value={delivery.timestamp} />
          </Text>
        </Group>
        <Stack gap={2}>
          <Identifier value={delivery.id} label="delivery id" />
          <Identifier value={delivery.event_id} label="event id" />
        </Stack>
        {delivery.error && <Text size="sm">{delivery.error}</Text>}
        {delivery.next_retry_at && (
          <Text size="sm">
            The next try is <Time value={delivery.next_retry_at} form="relative" />.
          </Text>
        )}
        {error && <FaultAlert error={error} />}
        {!data && !error && <Skeleton height={240} />}
        {data && (
          <>
            <Part title="Request headers" code={headersText(data.request.headers)} />
            <Part
              title="Request body"
              code={data.request.body === null ? 'The event is no longer kept.' : prettyJson(data.request.body)}
            />
            {data.response && (
              <>
                <Part title="Response headers" code={headersText(data.response.headers)} />
                <Part
                  title="Response body"
                  code={data.response.body === '' ? '(empty)' : prettyJson(data.response.body)}
                />
              </>
            )}
          </>
        )}
        <Group>
          <Button
            variant="default"
            leftSection={<ReloadIcon />}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            Send again
          </Button>
        </Group>
      </Stack>
    </Drawer>
  );
}

function Part({ title, code }: { title: string; code: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      <CodeBlock code={code} label={title.toLowerCase()} />
    </div>
  );
}

function headersText(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
