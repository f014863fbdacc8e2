import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { INTEGRATION_STATUSES, PLATFORMS, type Platform } from '#contracts';
import { HEALTH_DIRECTIONS } from '#platforms';
import { Metrics } from '../../core/observability/metrics.service';
import { Integrations } from '../integrations.service';
import { Adapters } from '../platforms/adapters.service';

/** The live platforms for Prometheus, as `GET /integrations` shows them: the same on every instance. Limits met are each instance's own. */
@Injectable()
export class PlatformMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly adapters: Adapters,
    private readonly integrations: Integrations,
  ) {}

  onModuleInit(): void {
    this.exposeStates();
    this.exposeDirections();
    this.countRateLimits();
  }

  /** Without those whose credentials were taken away: their last success only grows older, an alarm for nothing. */
  private get configured(): Platform[] {
    return this.adapters.configured().map(({ platform }) => platform);
  }

  private exposeStates(): void {
    const configured = new Gauge({
      name: 'gateway_integration_configured',
      help: 'Whether a live platform has credentials: 1 or 0.',
      labelNames: ['platform'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const platform of PLATFORMS) configured.set({ platform }, this.configured.includes(platform) ? 1 : 0);
      },
    });
    const state = new Gauge({
      name: 'gateway_integration_state',
      help: 'Whether a live platform is in this state: 1 or 0.',
      labelNames: ['platform', 'status'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const platform of PLATFORMS) {
          const { status } = this.integrations.state('live', platform);
          for (const word of INTEGRATION_STATUSES) state.set({ platform, status: word }, word === status ? 1 : 0);
        }
      },
    });
  }

  private exposeDirections(): void {
    const expose = (what: 'success' | 'error', help: string, field: 'last_success_at' | 'last_error_at') => {
      const gauge = new Gauge({
        name: `gateway_integration_last_${what}_timestamp_seconds`,
        help,
        labelNames: ['platform', 'direction'],
        registers: [this.metrics.registry],
        collect: () => {
          for (const platform of this.configured) {
            const directions = this.integrations.directions('live', platform);
            for (const direction of HEALTH_DIRECTIONS) {
              const at = directions[direction][field];
              if (at === null) gauge.remove({ platform, direction });
              else gauge.set({ platform, direction }, Date.parse(at) / 1_000);
            }
          }
        },
      });
    };
    expose('success', 'When receiving or sending last worked, in Unix seconds.', 'last_success_at');
    expose('error', 'When receiving or sending last failed, in Unix seconds.', 'last_error_at');
    this.exposeBacklog();
  }

  private exposeBacklog(): void {
    const gauge = new Gauge({
      name: 'gateway_integration_backlog',
      help: 'How many messages wait at the platform, where it tells.',
      labelNames: ['platform'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const platform of PLATFORMS) {
          const { backlog } = this.integrations.directions('live', platform).receiving;
          if (backlog === null) gauge.remove({ platform });
          else gauge.set({ platform }, backlog);
        }
      },
    });
  }

  private countRateLimits(): void {
    const limits = new Counter({
      name: 'gateway_platform_rate_limits_total',
      help: 'Calls that met a limit of the platform, refused by it or held back by its library.',
      labelNames: ['platform', 'call'],
      registers: [this.metrics.registry],
    });
    for (const platform of PLATFORMS) {
      this.adapters.of('live', platform).observeRateLimits(({ call }) => limits.inc({ platform, call }));
    }
  }
}
