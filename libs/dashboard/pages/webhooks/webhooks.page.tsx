import { Anchor, Button } from '@mantine/core';
import { Link2Icon, PlusIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Identifier } from '../../components/copy/identifier';
import { EmptyState } from '../../components/feedback/empty-state';
import { Listing } from '../../components/listing';
import { NewestAttempts } from '../../components/receivers/newest-attempts';
import { PageHeader } from '../../components/page-header';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { RequireScope } from '../../session/require-scope';
import { WebhookForm } from './webhook-form';

/** Number of webhooks whose deliveries the list reads: each is a request. */
const WATCHED = 20;

export default function Webhooks() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="The gateway posts signed events to your servers and retries failed deliveries."
      >
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Create a webhook
        </Button>
      </PageHeader>
      <RequireScope anyOf={['admin:settings']}>
        <WebhookTable />
        {creating && <WebhookForm onClose={() => setCreating(false)} />}
      </RequireScope>
    </>
  );
}

function WebhookTable() {
  const webhooks = useInfiniteQuery(queries.webhooks(useGateway()));
  const items = webhooks.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="card">
      <Listing
        query={webhooks}
        columns={['URL', 'Events', 'Status', 'Deliveries', 'Created']}
        empty={
          <EmptyState icon={<Link2Icon />} title="No webhooks">
            Create a webhook to receive messages and status changes as they happen, without polling.
          </EmptyState>
        }
      >
        {items.map(({ id, url, events, status, created_at }, index) => (
          <tr key={id}>
            <td>
              <Anchor
                fw={600}
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
                renderRoot={(props) => <Link to="/webhooks/$webhookId" params={{ webhookId: id }} {...props} />}
              >
                {url}
              </Anchor>
              <br />
              <Identifier value={id} label="webhook id" />
            </td>
            <td data-label="Events">
              {events.includes('*') ? 'All' : events.length === 1 ? events[0] : `${events.length} types`}
            </td>
            <td data-label="Status">
              <StatusBadge status={status} />
            </td>
            <td data-label="Deliveries">{index < WATCHED && <NewestDeliveries webhookId={id} />}</td>
            <td data-label="Created">
              <Time value={created_at} form="relative" />
            </td>
          </tr>
        ))}
      </Listing>
    </div>
  );
}

function NewestDeliveries({ webhookId }: { webhookId: string }) {
  const { data } = useQuery(queries.newestAttempts(useGateway(), webhookId));
  return <NewestAttempts attempts={data} name="deliveries" />;
}
