import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { DeliveryDetail } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { PageHeader } from '../../../components/page-header';
import { RequireScope } from '../../../session/require-scope';
import { DeliveryParts, DeliverySummary } from './delivery-parts';
import { SendAgain } from './send-again';

/** A delivery attempt, found by its id alone. */
export default function DeliveryPage() {
  const { deliveryId = '' } = useParams({ strict: false });
  return (
    <>
      <PageHeader title="Delivery" description="The request to a webhook and the response of its receiver." />
      <RequireScope anyOf={['admin:settings']}>
        <Detail id={deliveryId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(queries.deliveryAlone(useGateway(), id));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} radius="lg" />;
  return (
    <Stack gap="lg" className="card" p="lg">
      <DeliverySummary delivery={data} />
      <OfWebhook delivery={data} />
      <DeliveryParts detail={data} />
    </Stack>
  );
}

/** Finds the delivery's webhook through its event, because the delivery does not name it. */
function OfWebhook({ delivery }: { delivery: DeliveryDetail }) {
  const { data } = useQuery(queries.event(useGateway(), delivery.event_id));
  const webhookId = data?.deliveries?.find(({ id }) => id === delivery.id)?.webhook_id;
  if (webhookId === undefined) return null;
  return (
    <>
      <Anchor size="sm" renderRoot={(props) => <Link to="/webhooks/$webhookId" params={{ webhookId }} {...props} />}>
        Open the webhook
      </Anchor>
      <SendAgain webhookId={webhookId} delivery={delivery} />
    </>
  );
}
