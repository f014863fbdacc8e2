import { Injectable } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Database, statement } from '../core/database/database.service';
import { COUNT_HELD_WORK, type HeldWorkCount, type HeldWorkRow } from './held-work.rows';
import { Timers } from '../core/work/timers/timers.service';
import { Metrics } from '../core/observability/metrics.service';

const INTERVAL_MS = 30_000;
const COUNT = statement('held-work', COUNT_HELD_WORK);
const NOTHING: HeldWorkCount = { deliveries: 0, mails: 0 };

/** Counts of the work that a restore holds, as last read: for `GET /status` and Prometheus. */
@Injectable()
export class HeldWorkCounts {
  private known = new Map<Environment, HeldWorkCount>();
  private readonly gauge: Gauge;

  constructor(
    private readonly database: Database,
    metrics: Metrics,
    timers: Timers,
  ) {
    this.gauge = metrics.gauge(
      'gateway_held_work',
      'Webhook deliveries and mails held by a restore until `gateway webhooks resume`.',
      ['kind', 'environment'],
    );
    timers.every('Held work count', INTERVAL_MS, () => this.refresh(), { scope: 'process', firstMs: 0 });
  }

  of(environment: Environment): HeldWorkCount {
    return this.known.get(environment) ?? NOTHING;
  }

  async refresh(): Promise<void> {
    const rows = await this.database.query<HeldWorkRow>(COUNT, []);
    this.known = new Map(rows.map(({ environment, deliveries, mails }) => [environment, { deliveries, mails }]));
    for (const environment of ENVIRONMENTS) {
      const { deliveries, mails } = this.of(environment);
      this.gauge.set({ kind: 'webhook-deliveries', environment }, deliveries);
      this.gauge.set({ kind: 'owner-mail', environment }, mails);
    }
  }
}
