import { Button, Group, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { DownloadIcon, ReloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { StatisticsGetParams } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { MeasureControl } from '../../components/chart/measure-control';
import type { MeasureName } from '../../components/chart/measures';
import { TimelineChart } from '../../components/chart/timeline-chart';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { StatCard } from '../../components/stat-card';
import { count, usd } from '../../format/number';
import { RequireScope } from '../../session/require-scope';
import { AiCosts } from './ai-costs';
import { ByPlatform } from './by-platform';
import { CostsToday } from './costs-today';
import { downloadCsv } from './csv';
import { TimelineTable } from './timeline-table';

type Period = NonNullable<StatisticsGetParams['period']>;
type Group = NonNullable<StatisticsGetParams['group_by']>;

const PERIODS = [
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
];
const GROUPS = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
];
const HEIGHT = 280;

export default function StatisticsPage() {
  const search: { period?: string; group_by?: string } = useSearch({ strict: false });
  const period = (PERIODS.some(({ value }) => value === search.period) ? search.period : '7d') as Period;
  const group = (GROUPS.some(({ value }) => value === search.group_by) ? search.group_by : 'day') as Group;
  const navigate = useNavigate();
  const choose = (change: object) =>
    void navigate({ to: '.', search: { period, group_by: group, ...change }, replace: true });
  return (
    <>
      <PageHeader title="Statistics" description="Messages, conversations and AI cost. Days and hours are in UTC." />
      <RequireScope anyOf={['admin:settings']}>
        <Stack gap="lg">
          <Group gap="sm">
            <SegmentedControl
              aria-label="Period"
              data={PERIODS}
              value={period}
              onChange={(value) => choose({ period: value })}
            />
            <SegmentedControl
              aria-label="Group by"
              data={GROUPS}
              value={group}
              onChange={(value) => choose({ group_by: value })}
            />
          </Group>
          <Figures period={period} group={group} />
          <AiCosts days={Number.parseInt(period)} />
          <CostsToday />
        </Stack>
      </RequireScope>
    </>
  );
}

function Figures({ period, group }: { period: Period; group: Group }) {
  const { data, error, refetch, isRefetching } = useQuery(
    queries.statistics(useGateway(), { period, group_by: group }),
  );
  const [measure, setMeasure] = useState<MeasureName>('messages');
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  const totals = data?.totals;
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="lg">
        <StatCard label="Messages" value={totals && count(totals.messages)} />
        <StatCard label="Conversations" value={totals && count(totals.conversations)} />
        <StatCard label="Tokens" value={totals && count(totals.tokens)} />
        <StatCard label="Cost" value={totals && usd(totals.cost_usd)} />
      </SimpleGrid>
      <Section
        title="Timeline"
        actions={
          <Group gap="xs">
            <MeasureControl value={measure} onChange={setMeasure} />
            <Button
              variant="default"
              leftSection={<ReloadIcon />}
              loading={isRefetching}
              onClick={() => void refetch()}
            >
              Refresh
            </Button>
            <Button
              variant="default"
              leftSection={<DownloadIcon />}
              disabled={!data}
              onClick={() => data && downloadCsv(data, `statistics-${period}-${group}.csv`)}
            >
              CSV
            </Button>
          </Group>
        }
      >
        {data ? (
          <TimelineChart statistics={data} group={group} measure={measure} height={HEIGHT} />
        ) : (
          <Skeleton height={HEIGHT} />
        )}
      </Section>
      {data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <ByPlatform statistics={data} />
          <TimelineTable statistics={data} group={group} />
        </SimpleGrid>
      )}
    </>
  );
}
