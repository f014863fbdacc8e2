import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { DatabaseListener } from '../../core/database/database-listener.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Adapters } from '../platforms/adapters.service';
import { IntegrationStates } from './integration-states.service';
import { IntegrationHealth } from '../health/integration-health.service';
import { IntegrationStore } from './integration-store.service';
import { INTEGRATIONS_CHANGED, RECONNECT_HURRIED } from './integration.rows';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { PlatformSupervisor, type AccountAdapter, type SupervisorParts } from './platform-supervisor';

/** One supervisor for each configured account. The start does not wait for them: a failing platform never delays it. */
@Injectable()
export class Supervision implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly supervisors = new Map<AccountAdapter, PlatformSupervisor>();
  private isStopping = false;

  constructor(
    private readonly adapters: Adapters,
    private readonly accounts: Accounts,
    private readonly sinks: InboundSinks,
    private readonly states: IntegrationStates,
    private readonly store: IntegrationStore,
    private readonly health: IntegrationHealth,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly listener: DatabaseListener,
  ) {}

  onApplicationBootstrap(): void {
    this.adapters.onChange(() => this.follow());
    this.follow();
    this.listener.follow(INTEGRATIONS_CHANGED, (payload) => {
      for (const supervisor of this.named(payload)) void supervisor.checkRequests();
    });
    this.listener.on(RECONNECT_HURRIED, (payload) => {
      for (const supervisor of this.named(payload)) supervisor.retryNow();
    });
  }

  /** Starts a supervisor for each new adapter, and stops those whose adapter is gone. */
  private follow(): void {
    if (this.isStopping) return;
    const wanted = new Set<AccountAdapter>(this.adapters.configured());
    for (const [adapter, supervisor] of this.supervisors) {
      if (wanted.has(adapter)) continue;
      this.supervisors.delete(adapter);
      void supervisor.stop();
    }
    for (const adapter of wanted) {
      if (this.supervisors.has(adapter)) continue;
      const supervisor = new PlatformSupervisor(adapter, this.partsOf(adapter));
      this.supervisors.set(adapter, supervisor);
      supervisor.start();
    }
  }

  private partsOf({ at }: AccountAdapter): SupervisorParts {
    return {
      store: this.store,
      health: this.health,
      events: this.events,
      clock: this.clock,
      sink: this.sinks.of(at),
      shown: (key) => this.accounts.shown(key),
      changed: () => void this.states.refresh(),
    };
  }

  /** The supervisor of the account that an announcement names, or all supervisors without an announcement. */
  private named(payload: string | undefined): PlatformSupervisor[] {
    const supervisors = [...this.supervisors.values()];
    if (payload === undefined) return supervisors;
    const [platform, account = DEFAULT_ACCOUNT] = payload.split(' ');
    return supervisors.filter(({ at }) => at.platform === platform && at.account === account);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.supervisors.values()].map((supervisor) => supervisor.stop()));
  }
}
