import { Drawer, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Delivery } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { useFocusReturn } from '../../../components/hooks/use-focus-return';
import { DeliveryParts, DeliverySummary } from './delivery-parts';
import { SendAgain } from './send-again';

interface DeliveryDetailProps {
  webhookId: string;
  delivery: Delivery;
  onClose: () => void;
}

/** A delivery attempt, in a drawer beside the list. */
export function DeliveryDetail({ webhookId, delivery, onClose }: DeliveryDetailProps) {
  useFocusReturn();
  const { data, error } = useQuery(queries.delivery(useGateway(), webhookId, delivery.id));
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={delivery.event_type}>
      <Stack gap="lg">
        <DeliverySummary delivery={delivery} />
        <SendAgain webhookId={webhookId} delivery={delivery} />
        {error && <FaultAlert error={error} />}
        {!data && !error && <Skeleton height={240} />}
        {data && <DeliveryParts detail={data} />}
      </Stack>
    </Drawer>
  );
}
