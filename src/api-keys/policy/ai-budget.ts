import type { AiBudget } from '../../core/http/lifecycle/request-context';
import type { ApiKeyEntity } from '../entities/api-key.entity';

type BudgetColumns = Pick<ApiKeyEntity, 'aiBudgetDailyUsd' | 'aiBudgetMonthlyUsd'>;

/** The AI budget of a key; null if it has no ceiling. */
export function aiBudgetOf({
  aiBudgetDailyUsd: dailyUsd,
  aiBudgetMonthlyUsd: monthlyUsd,
}: BudgetColumns): AiBudget | null {
  return dailyUsd === null && monthlyUsd === null ? null : { dailyUsd, monthlyUsd };
}
