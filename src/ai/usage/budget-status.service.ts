import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { SettingsService } from '../../core/settings/settings.service';
import type { AiBudgetDto } from '../dto/ai.dto';
import { requestBySettings } from '../request-by-settings';
import { spanOf } from './budget-period';
import { Budgets, isNearlySpent, type BudgetedKey, type BudgetState } from './budgets.service';
import { usdOf } from '../../core/nanodollars';
import { mostNanos, pricesFor } from './spending-estimate';

/** The budget of an environment as `GET /ai/status` shows it. */
@Injectable()
export class BudgetStatus {
  constructor(
    private readonly budgets: Budgets,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  async of(environment: Environment): Promise<{ budget: AiBudgetDto; isSpent: boolean }> {
    // Answers of the sandbox cost nothing.
    const [day, month] =
      environment === 'test'
        ? [undefined, undefined]
        : await Promise.all([this.budgets.read(environment, 'day'), this.budgets.read(environment, 'month')]);
    const monthIsSpent = month !== undefined && this.isSpent(environment, month);
    const resetsAt = monthIsSpent ? month.span.end : spanOf('day', this.clock.now()).end;
    return {
      budget: {
        ...this.settings.of(environment).ai.budget,
        spent_today_usd: usdOf(day?.spent ?? 0),
        resets_at: new Date(resetsAt).toISOString(),
      },
      isSpent: monthIsSpent || (day !== undefined && this.isSpent(environment, day)),
    };
  }

  async ofKey(environment: Environment, key: BudgetedKey): Promise<AiBudgetDto> {
    const { dailyUsd, monthlyUsd } = key.aiBudget;
    const [day, month] = await Promise.all([
      this.budgets.read(environment, 'day', key),
      this.budgets.read(environment, 'month', key),
    ]);
    const isMonthSpent = month.ceiling !== null && month.spent >= month.ceiling;
    return {
      daily_usd: dailyUsd,
      monthly_usd: monthlyUsd,
      spent_today_usd: usdOf(day.spent),
      resets_at: new Date(isMonthSpent ? month.span.end : day.span.end).toISOString(),
    };
  }

  /** Whether the rest is too little for an answer by the settings, or for one that was refused. */
  private isSpent(environment: Environment, { spent, refused, ceiling }: BudgetState): boolean {
    if (ceiling === null) return false;
    const left = ceiling - spent;
    return left < this.smallest(environment) || (isNearlySpent(spent, ceiling) && left < refused);
  }

  private smallest(environment: Environment): number {
    const { ai } = this.settings.of(environment);
    const request = requestBySettings(ai, { messages: [] });
    return mostNanos(request, pricesFor(request, ai.prices));
  }
}
