import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { StatCard } from '../../components/stat-card';
import { compactCount, count, usd } from '../../format/number';
import { useMay } from '../../session/use-session';
import { weekStatistics } from './overview-queries';

/** Figures of today (UTC). */
export function Today() {
  const gateway = useGateway();
  const mayCount = useMay('admin:settings');
  const ai = useQuery(queries.aiStatus(gateway));
  const statistics = useQuery({ ...weekStatistics(gateway), enabled: mayCount });
  const today = ai.data?.usage.today;
  return (
    <SimpleGrid cols={{ base: 2, lg: mayCount ? 4 : 3 }} spacing="lg">
      {mayCount && (
        <StatCard
          label="Messages today (UTC)"
          value={statistics.data && count(statistics.data.timeline.at(-1)?.messages ?? 0)}
          hint={statistics.data && `${compactCount(statistics.data.totals.messages)} in 7 days`}
        />
      )}
      <StatCard label="AI answers today (UTC)" value={today && count(today.requests)} hint={ai.data?.model} />
      <StatCard
        label="Tokens today (UTC)"
        value={today && compactCount(today.input_tokens + today.output_tokens)}
        hint={today && `${compactCount(today.input_tokens)} in · ${compactCount(today.output_tokens)} out`}
      />
      <StatCard
        label="Cost today (UTC)"
        value={today && usd(today.cost_usd)}
        hint={ai.data && `${usd(ai.data.usage.month.cost_usd)} this month`}
      />
    </SimpleGrid>
  );
}
