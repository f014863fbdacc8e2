import { Button, Group, Select, Text, UnstyledButton } from '@mantine/core';
import { PaperPlaneIcon, ReloadIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Delivery, DeliveryQuery } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { Listing } from '../../components/listing';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';
import { DeliveryDetail } from './delivery-detail';

/** The attempts to deliver, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [status, setStatus] = useState<DeliveryQuery['status'] | null>(null);
  const [opened, setOpened] = useState<Delivery>();
  const deliveries = useInfiniteQuery(queries.deliveries(useGateway(), webhookId, status ? { status } : {}));
  const items = deliveries.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section
      title="Deliveries"
      flush
      actions={
        <Group gap="xs">
          <Select
            aria-label="Status"
            placeholder="All statuses"
            clearable
            w={150}
            data={[
              { value: 'success', label: 'Success' },
              { value: 'failed', label: 'Failed' },
            ]}
            value={status}
            onChange={setStatus}
            clearButtonProps={{ 'aria-label': 'All statuses' }}
          />
          <Button
            variant="default"
            leftSection={<ReloadIcon />}
            loading={deliveries.isRefetching}
            onClick={() => void deliveries.refetch()}
          >
            Refresh
          </Button>
        </Group>
      }
    >
      <Listing
        query={deliveries}
        columns={['Event', 'Status', 'Answer', 'Attempt', 'When']}
        empty={
          <EmptyState icon={<PaperPlaneIcon />} title="No deliveries">
            An event that the webhook wants is delivered at once. A test event shows whether the receiver answers.
          </EmptyState>
        }
      >
        {items.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery)} />
        ))}
      </Listing>
      {opened && <DeliveryDetail webhookId={webhookId} delivery={opened} onClose={() => setOpened(undefined)} />}
    </Section>
  );
}

function Row({ delivery, onOpen }: { delivery: Delivery; onOpen: () => void }) {
  const { event_type, status, response_code, response_time_ms, attempt, timestamp, error, next_retry_at } = delivery;
  return (
    <tr>
      <td>
        <UnstyledButton onClick={onOpen} className="link-button">
          {event_type}
        </UnstyledButton>
      </td>
      <td data-label="Status">
        <StatusBadge status={status} />
      </td>
      <td data-label="Answer">
        <Text size="sm" className="numeric" maw={320}>
          {response_code ?? error ?? 'no answer'} · {milliseconds(response_time_ms)}
        </Text>
      </td>
      <td data-label="Attempt">
        {attempt}
        {next_retry_at && (
          <Text size="xs" c="dimmed">
            next <Time value={next_retry_at} form="relative" />
          </Text>
        )}
      </td>
      <td data-label="When">
        <Time value={timestamp} />
      </td>
    </tr>
  );
}
