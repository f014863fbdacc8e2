import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ApiKey } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { Section } from '../../../components/section';
import { StatCard } from '../../../components/stat-card';
import { compactCount, count, usd } from '../../../format/number';
import { agoInWords } from '../../../format/time';
import { BudgetBar } from './budget-bar';
import { CostByDay, CostByModel } from './cost-tables';

/** Days in the table. The page reads 90 days, because the budget's month can have 31. */
const SHOWN_DAYS = 30;
const PERIOD = '90d';

/** Shows the requests and the costs of a key. */
export function KeyUsage({ apiKey: { id, ai_budget } }: { apiKey: ApiKey }) {
  const { data, error, refetch } = useQuery(queries.apiKeyUsage(useGateway(), id, PERIOD));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={280} radius="lg" />;
  const today = data.by_day.at(-1);
  const month = data.by_day.filter(({ date }) => date.slice(0, 7) === today?.date.slice(0, 7));
  const spentInMonth = month.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="lg">
        <StatCard
          label="Requests today (UTC)"
          value={count(today?.requests ?? 0)}
          hint={`${compactCount(data.requests)} in 90 days`}
        />
        <StatCard
          label="Refused today (UTC)"
          value={count(today?.refusals ?? 0)}
          hint={`${compactCount(data.refusals)} in 90 days`}
        />
        <StatCard
          label="Cost today (UTC)"
          value={usd(today?.cost_usd ?? 0)}
          hint={`${usd(data.cost_usd)} in 90 days`}
        />
        <StatCard
          label="Last address"
          value={data.last_address ?? 'none'}
          hint={data.last_used_at ? agoInWords(data.last_used_at) : 'never used'}
        />
      </SimpleGrid>
      <Section title="AI budget" description="AI cost of this key’s requests, and its budget, by UTC day and month.">
        <Stack gap="sm">
          <BudgetBar what="today" spent={today?.cost_usd ?? 0} budget={ai_budget?.daily_usd ?? null} />
          <BudgetBar what="this month" spent={spentInMonth} budget={ai_budget?.monthly_usd ?? null} />
          {!ai_budget && (
            <Text size="sm" c="dimmed">
              The key has no budget. The gateway’s budget applies.
            </Text>
          )}
        </Stack>
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <CostByDay days={data.by_day.slice(-SHOWN_DAYS)} />
        <CostByModel models={data.by_model} />
      </SimpleGrid>
    </Stack>
  );
}
