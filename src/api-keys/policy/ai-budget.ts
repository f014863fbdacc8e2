import type { AiBudget } from '../../core/http/lifecycle/request-context';
import type { ApiKeyEntity } from '../entities/api-key.entity';

type BudgetColumns = Pick<ApiKeyEntity, 'aiBudgetDailyUsd' | 'aiBudgetMonthlyUsd'>;

/** The AI budget of a key. A budget without any ceiling is none. */
export function aiBudgetOf({
  aiBudgetDailyUsd: dailyUsd,
  aiBudgetMonthlyUsd: monthlyUsd,
}: BudgetColumns): AiBudget | null {
  return dailyUsd === null && monthlyUsd === null ? null : { dailyUsd, monthlyUsd };
}
