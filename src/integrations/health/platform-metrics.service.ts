import { Injectable, type OnModuleInit } from '@nestjs/common';
import { INTEGRATION_STATUSES, PLATFORMS, type Platform } from '#contracts';
import { HEALTH_DIRECTIONS } from '#platforms';
import { Metrics } from '../../core/observability/metrics.service';
import { Integrations } from '../integrations.service';
import { Adapters } from '../platforms/adapters.service';

/** Metrics of the live platforms. States are the same on every instance; each instance counts its own rate limits. */
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

  /** A platform whose credentials were removed has no timestamps: an ageing last success would raise false alarms. */
  private get configured(): Platform[] {
    return this.adapters.configured().map(({ platform }) => platform);
  }

  private exposeStates(): void {
    const configured = '1 if the live platform has credentials, else 0.';
    this.metrics.gauge('gateway_integration_configured', configured, ['platform'], (gauge) => {
      for (const platform of PLATFORMS) gauge.set({ platform }, this.configured.includes(platform) ? 1 : 0);
    });
    const state = '1 if the live platform is in this state, else 0.';
    this.metrics.gauge('gateway_integration_state', state, ['platform', 'status'], (gauge) => {
      for (const platform of PLATFORMS) {
        const { status } = this.integrations.state(this.integrations.defaultOf('live', platform));
        for (const word of INTEGRATION_STATUSES) gauge.set({ platform, status: word }, word === status ? 1 : 0);
      }
    });
  }

  private exposeDirections(): void {
    const expose = (what: 'success' | 'error', help: string, field: 'last_success_at' | 'last_error_at') => {
      const name = `gateway_integration_last_${what}_timestamp_seconds`;
      this.metrics.gauge(name, help, ['platform', 'direction'], (gauge) => {
        for (const platform of this.configured) {
          const directions = this.integrations.directions(this.integrations.defaultOf('live', platform));
          for (const direction of HEALTH_DIRECTIONS) {
            const at = directions[direction][field];
            if (at === null) gauge.remove({ platform, direction });
            else gauge.set({ platform, direction }, Date.parse(at) / 1_000);
          }
        }
      });
    };
    expose('success', 'Unix time of the last success in receiving or sending.', 'last_success_at');
    expose('error', 'Unix time of the last failure in receiving or sending.', 'last_error_at');
    const backlogs = 'Messages waiting at the platform, if it reports them.';
    this.metrics.gauge('gateway_integration_backlog', backlogs, ['platform'], (gauge) => {
      for (const platform of PLATFORMS) {
        const { backlog } = this.integrations.directions(this.integrations.defaultOf('live', platform)).receiving;
        if (backlog === null) gauge.remove({ platform });
        else gauge.set({ platform }, backlog);
      }
    });
  }

  private countRateLimits(): void {
    const limits = this.metrics.counter(
      'gateway_platform_rate_limits_total',
      'Platform calls that hit a rate limit: refused by the platform or delayed by its library.',
      ['platform', 'call'],
    );
    this.adapters.onEach((adapter) => {
      const { environment, platform } = adapter.at;
      if (environment === 'live') adapter.observeRateLimits(({ call }) => limits.inc({ platform, call }));
    });
  }
}
