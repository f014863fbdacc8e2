import { Injectable, type OnModuleInit } from '@nestjs/common';
import { INTEGRATION_STATUSES, PLATFORMS, type AccountKey, type Platform } from '#contracts';
import { HEALTH_DIRECTIONS } from '#platforms';
import { Accounts } from '../../accounts/accounts.service';
import { accountKey } from '../../accounts/entities/account.entity';
import { Metrics } from '../../core/observability/metrics.service';
import { Integrations } from '../integrations.service';
import { Adapters } from '../platforms/adapters.service';

/** The default account of a platform has no label `account`, so that a platform with one account looks the same without it. */
type Labels = Partial<Record<'platform' | 'account', string>>;

/** Metrics of the live platforms. States are the same on every instance; each instance counts its own rate limits. */
@Injectable()
export class PlatformMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly adapters: Adapters,
    private readonly integrations: Integrations,
    private readonly accounts: Accounts,
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

  /** The default account of each platform, then its other accounts. */
  private *places(): Generator<[AccountKey, Labels]> {
    for (const platform of PLATFORMS) {
      const first = this.integrations.defaultOf('live', platform);
      yield [first, { platform }];
      for (const row of this.accounts.of(first)) {
        const account = accountKey(row);
        if (row.enabled && account !== first.account)
          yield [
            { ...first, account },
            { platform, account: row.name },
          ];
      }
    }
  }

  private exposeStates(): void {
    const configured = '1 if the live platform has credentials, else 0.';
    this.metrics.gauge('gateway_integration_configured', configured, ['platform'], (gauge) => {
      for (const platform of PLATFORMS) gauge.set({ platform }, this.configured.includes(platform) ? 1 : 0);
    });
    const state =
      '1 if the account of the live platform is in this state, else 0. The default account of a platform has no `account`.';
    this.metrics.gauge('gateway_integration_state', state, ['platform', 'account', 'status'], (gauge) => {
      gauge.reset();
      for (const [at, labels] of this.places()) {
        const { status } = this.integrations.state(at);
        for (const word of INTEGRATION_STATUSES) gauge.set({ ...labels, status: word }, word === status ? 1 : 0);
      }
    });
  }

  private exposeDirections(): void {
    const expose = (what: 'success' | 'error', help: string, field: 'last_success_at' | 'last_error_at') => {
      const name = `gateway_integration_last_${what}_timestamp_seconds`;
      this.metrics.gauge(name, help, ['platform', 'account', 'direction'], (gauge) => {
        gauge.reset();
        const { configured } = this;
        for (const [at, labels] of this.places()) {
          if (!configured.includes(at.platform)) continue;
          const directions = this.integrations.directions(at);
          for (const direction of HEALTH_DIRECTIONS) {
            const last = directions[direction][field];
            if (last !== null) gauge.set({ ...labels, direction }, Date.parse(last) / 1_000);
          }
        }
      });
    };
    expose('success', 'Unix time of the last success in receiving or sending.', 'last_success_at');
    expose('error', 'Unix time of the last failure in receiving or sending.', 'last_error_at');
    const backlogs = 'Messages waiting at the platform, if it reports them.';
    this.metrics.gauge('gateway_integration_backlog', backlogs, ['platform', 'account'], (gauge) => {
      gauge.reset();
      for (const [at, labels] of this.places()) {
        const { backlog } = this.integrations.directions(at).receiving;
        if (backlog !== null) gauge.set(labels, backlog);
      }
    });
  }

  private countRateLimits(): void {
    const limits = this.metrics.counter(
      'gateway_platform_rate_limits_total',
      'Platform calls that hit a rate limit: refused by the platform or delayed by its library.',
      ['platform', 'account', 'call'],
    );
    this.adapters.onEach((adapter) => {
      const { at } = adapter;
      if (at.environment === 'live')
        adapter.observeRateLimits(({ call }) => limits.inc({ ...this.labelsOf(at), call }));
    });
  }

  private labelsOf(at: AccountKey): Labels {
    const { platform } = at;
    const isDefault = at.account === this.integrations.defaultOf('live', platform).account;
    return { platform, ...(!isDefault && { account: this.accounts.shown(at).name }) };
  }
}
