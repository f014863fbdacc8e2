import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Identifier } from '../../components/copy/identifier';
import { PageHeader } from '../../components/page-header';
import { StatusBadge } from '../../components/status-badge';
import { RequireScope } from '../../session/require-scope';
import { Deliveries } from './delivery/deliveries';
import { SuccessRate } from './success-rate';
import { WebhookActions } from './webhook-actions';

/** A webhook with its deliveries. */
export default function WebhookPage() {
  const { webhookId = '' } = useParams({ strict: false });
  return (
    <>
      <Anchor size="sm" renderRoot={(props) => <Link to="/webhooks" {...props} />}>
        ← All webhooks
      </Anchor>
      <RequireScope anyOf={['admin:settings']}>
        <Detail id={webhookId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(queries.webhook(useGateway(), id));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} radius="lg" mt="md" />;
  return (
    <Stack gap="lg" mt="xs">
      <div>
        <PageHeader title="Webhook" description={data.url}>
          <WebhookActions webhook={data} />
        </PageHeader>
        <Group gap="md">
          <StatusBadge status={data.status} />
          <Identifier value={data.id} label="webhook id" />
          <Text size="sm" c="dimmed">
            {data.events.includes('*') ? 'All events' : data.events.join(', ')}
          </Text>
        </Group>
        {data.status === 'failed' && (
          <Text size="sm" mt="sm" c="var(--mantine-color-error)">
            All retries have failed. The gateway has stopped posting to it. Re-enable it when the receiver works, then
            replay the missed events.
          </Text>
        )}
      </div>
      <SuccessRate webhookId={id} />
      <Deliveries webhookId={id} />
    </Stack>
  );
}
