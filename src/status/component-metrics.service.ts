import { Injectable } from '@nestjs/common';
import { AiCalls } from '../ai/ai-calls.service';
import { Configuration } from '../core/config/configuration';
import { WriteHealth } from '../core/database/connections/write-health.service';
import { Outage } from '../core/database/outage.service';
import { DueWorkMonitor } from '../core/work/monitor/due-work-monitor.service';
import { Metrics } from '../core/observability/metrics.service';
import { RateLimiter } from '../core/rate-limiting/sliding-window';

/** The parts as `GET /status` judges them, for Prometheus, without a statement: the database may be what is down. */
@Injectable()
export class ComponentMetrics {
  constructor(
    metrics: Metrics,
    configuration: Configuration,
    outage: Outage,
    writes: WriteHealth,
    limiter: RateLimiter,
    calls: AiCalls,
    work: DueWorkMonitor,
  ) {
    metrics.readEach(
      'gateway_component_failing',
      '1 while a part that is configured fails: the database does not answer or takes no writes, Redis or the AI provider is unavailable, due work is stuck.',
      'component',
      () => ({
        database: Number(outage.present || writes.isFailing),
        cache: Number(!limiter.healthy),
        ai_provider: Number(configuration.ai.apiKey !== undefined && calls.status('live') === 'unavailable'),
        workers: Number(work.degraded),
      }),
    );
  }
}
