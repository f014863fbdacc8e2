import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../core/clock/clock.service';
import { DatabaseListener } from '../../core/database/database-listener.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Adapters } from '../platforms/adapters.service';
import { IntegrationStates } from './integration-states.service';
import { IntegrationHealth } from '../health/integration-health.service';
import { IntegrationStore } from './integration-store.service';
import { INTEGRATIONS_CHANGED, RECONNECT_HURRIED } from './integration.rows';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { PlatformSupervisor } from './platform-supervisor';

/** One supervisor per configured platform. The start does not wait for them: a failing platform never delays it. */
@Injectable()
export class Supervision implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private supervisors: PlatformSupervisor[] = [];

  constructor(
    private readonly adapters: Adapters,
    private readonly sinks: InboundSinks,
    private readonly states: IntegrationStates,
    private readonly store: IntegrationStore,
    private readonly health: IntegrationHealth,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly listener: DatabaseListener,
  ) {}

  onApplicationBootstrap(): void {
    this.supervisors = this.adapters.configured().map(
      (adapter) =>
        new PlatformSupervisor(adapter, {
          store: this.store,
          health: this.health,
          events: this.events,
          clock: this.clock,
          sink: this.sinks.of(adapter.platform),
          changed: () => void this.states.refresh(),
        }),
    );
    for (const supervisor of this.supervisors) supervisor.start();
    this.listener.follow(INTEGRATIONS_CHANGED, (platform) => {
      for (const supervisor of this.named(platform)) void supervisor.checkRequests();
    });
    this.listener.on(RECONNECT_HURRIED, (platform) => {
      for (const supervisor of this.named(platform)) supervisor.retryNow();
    });
  }

  /** The supervisor of the platform, or all supervisors if no platform is given. */
  private named(platform: string | undefined): PlatformSupervisor[] {
    return this.supervisors.filter((supervisor) => platform === undefined || supervisor.platform === platform);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.supervisors.map((supervisor) => supervisor.stop()));
  }
}
