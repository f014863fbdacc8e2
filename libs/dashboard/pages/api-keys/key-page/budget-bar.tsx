import { Group, Progress, Text } from '@mantine/core';
import { usd } from '../../../format/number';

const NEARLY = 90;

/** Shows how much of a budget is spent. @param budget in US dollars; null: no budget */
export function BudgetBar({ what, spent, budget }: { what: string; spent: number; budget: number | null }) {
  const percent = budget === null ? 0 : budget === 0 ? 100 : Math.min(100, (spent / budget) * 100);
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm">Spent {what}</Text>
        <Text size="sm" className="numeric">
          {budget === null ? `${usd(spent)}, no limit` : `${usd(spent)} of ${usd(budget)}`}
        </Text>
      </Group>
      {budget !== null && (
        <Progress
          value={percent}
          size="sm"
          color={percent >= NEARLY ? 'orange' : undefined}
          aria-label={`${percent.toFixed(0)} % of the budget is spent ${what}`}
        />
      )}
    </div>
  );
}
