import { Injectable } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { Timers } from '../../core/work/timers/timers.service';
import { Metrics } from '../../core/observability/metrics.service';
import { PERIODS } from './budget-period';
import { LiveProviders } from '../provider/live-providers.service';
import { Budgets } from './budgets.service';
import { usdOf } from '../../core/nanodollars';

const INTERVAL_MS = 30_000;

/** The live environment's budgets for Prometheus: the same on every instance. Answers of the sandbox cost nothing. */
@Injectable()
export class BudgetMetrics {
  private readonly ceilings: Gauge;
  private readonly rests: Gauge;

  constructor(
    private readonly budgets: Budgets,
    private readonly providers: LiveProviders,
    metrics: Metrics,
    timers: Timers,
  ) {
    this.ceilings = metrics.gauge(
      'gateway_ai_budget_dollars',
      'AI budget of this UTC day or month, in US dollars; absent without a budget.',
      ['period'],
    );
    this.rests = metrics.gauge(
      'gateway_ai_budget_remaining_dollars',
      'Remaining AI budget of this UTC day or month, in US dollars.',
      ['period'],
    );
    timers.every('AI budget refresh', INTERVAL_MS, () => this.look(), { scope: 'process' });
  }

  private async look(): Promise<void> {
    if (this.providers.configured.length === 0) return;
    for (const period of PERIODS) {
      const { spent, ceiling } = await this.budgets.read('live', period);
      if (ceiling === null) {
        this.ceilings.remove({ period });
        this.rests.remove({ period });
      } else {
        this.ceilings.set({ period }, usdOf(ceiling));
        this.rests.set({ period }, usdOf(Math.max(0, ceiling - spent)));
      }
    }
  }
}
