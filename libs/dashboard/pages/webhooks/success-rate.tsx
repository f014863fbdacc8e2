import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { useNow } from '../../format/use-now';
import { StatCard } from '../../components/stat-card';
import { count } from '../../format/number';
import { rateOf } from '../../format/rate-of';
import { agoInWords, inViewersZone } from '../../format/time';

const DAYS = 7;
const DAY_MS = 86_400_000;
const DATE = 'YYYY-MM-DD'.length;

/** The share of successful attempts, and the last success. */
export function SuccessRate({ webhookId }: { webhookId: string }) {
  const [since] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, DATE));
  const gateway = useGateway();
  const { data } = useQuery(queries.deliveryRate(gateway, webhookId, since));
  const now = useNow();
  const { data: last } = useQuery(queries.lastSuccess(gateway, webhookId));
  const total = data && data.succeeded + data.failed;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="lg">
      <StatCard label="Success rate" value={data && rateOf(data.succeeded, total!)} hint={`in ${DAYS} days`} />
      <StatCard label="Attempts" value={total === undefined ? undefined : count(total)} hint={`in ${DAYS} days`} />
      <StatCard label="Failed" value={data && count(data.failed)} hint={`in ${DAYS} days`} />
      <StatCard
        label="Last success"
        value={last === undefined ? undefined : last ? agoInWords(last.timestamp, now) : 'never'}
        hint={last ? inViewersZone(last.timestamp, 'full') : undefined}
      />
    </SimpleGrid>
  );
}
