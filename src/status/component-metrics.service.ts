import { Injectable } from '@nestjs/common';
import { AiHealth } from '../ai/ai-health.service';
import { Outage } from '../core/database/outage.service';
import { Metrics } from '../core/observability/metrics.service';
import { ComponentHealth } from './component-health.service';

/** The health of the parts, as in `GET /status`, for Prometheus. It runs no statement, because the database may be down. */
@Injectable()
export class ComponentMetrics {
  constructor(metrics: Metrics, ai: AiHealth, outage: Outage, health: ComponentHealth) {
    metrics.readEach(
      'gateway_component_failing',
      '1 while a configured component fails: the database does not respond or accepts no writes, Redis or the AI provider is unavailable, or due work is stuck.',
      'component',
      () => {
        const { database, cache, ai_provider, workers } = health.components('live', !outage.present);
        return {
          database: Number(database !== 'healthy'),
          cache: Number(cache !== 'healthy'),
          ai_provider: Number(ai.isConfigured('live') && ai_provider === 'unhealthy'),
          workers: Number(workers !== 'healthy'),
        };
      },
    );
  }
}
