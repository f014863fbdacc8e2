import { Button, Group, Select } from '@mantine/core';
import { PaperPlaneIcon, ReloadIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Delivery, DeliveryListParams } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { EmptyState } from '../../../components/feedback/empty-state';
import { Listing } from '../../../components/listing';
import { Section } from '../../../components/section';
import { DeliveryDetail } from './delivery-detail';
import { EventRow } from './event-row';

/** Delivery attempts, newest first, grouped by event. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [status, setStatus] = useState<DeliveryListParams['status'] | null>(null);
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
        columns={['Event', 'Status', 'Attempts']}
        empty={
          <EmptyState icon={<PaperPlaneIcon />} title="No deliveries">
            The gateway delivers subscribed events immediately. Send a test event to check the receiver.
          </EmptyState>
        }
      >
        {[...Map.groupBy(items, ({ event_id }) => event_id).values()].map((attempts) => (
          <EventRow key={attempts[0]!.event_id} attempts={attempts} isFiltered={status !== null} onOpen={setOpened} />
        ))}
      </Listing>
      {opened && <DeliveryDetail webhookId={webhookId} delivery={opened} onClose={() => setOpened(undefined)} />}
    </Section>
  );
}
