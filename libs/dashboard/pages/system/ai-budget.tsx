import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AiStatus } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { count, usd } from '../../format/number';

/** The state of the AI, its costs and its budgets. */
export function AiBudget() {
  const { data } = useQuery(queries.aiStatus(useGateway()));
  if (!data) return null;
  const { budget } = data;
  return (
    <Section title="AI" actions={<StatusBadge status={data.status} />}>
      <Stack gap="sm">
        <Row title="Model" value={`${data.model} (${data.provider})`} />
        <Row title="Answers this month" value={count(data.usage.month.requests)} />
        <Row title="Cost this month" value={usd(data.usage.month.cost_usd)} />
        <Row title="Monthly budget" value={budget.monthly_usd === null ? 'none' : usd(budget.monthly_usd)} />
        <Row title="Daily budget" value={budget.daily_usd === null ? 'none' : usd(budget.daily_usd)} />
        {budget.daily_usd !== null && <DailyBudget {...budget} daily_usd={budget.daily_usd} />}
      </Stack>
    </Section>
  );
}

function DailyBudget({ daily_usd, spent_today_usd, resets_at }: AiStatus['budget'] & { daily_usd: number }) {
  const percent = daily_usd === 0 ? 100 : Math.min(100, (spent_today_usd / daily_usd) * 100);
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm">Spent today (UTC): {usd(spent_today_usd)}</Text>
        <Text size="xs" c="dimmed">
          resets <Time value={resets_at} form="relative" />
        </Text>
      </Group>
      <Progress value={percent} size="sm" aria-label={`${percent.toFixed(0)} % of today’s budget is spent`} />
    </div>
  );
}

function Row({ title, value }: { title: string; value: string }) {
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="sm" className="numeric">
        {value}
      </Text>
    </Group>
  );
}
