import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Or, Repository } from 'typeorm';
import { ENVIRONMENTS, newUuid, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { leaseOf } from '../core/database/lease';
import { domainEvent, type DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { type PeriodicJob, PeriodicJobs } from '../core/jobs/periodic-jobs.service';
import { ComponentHealth, type Components, type Health } from './component-health.service';
import { HealthStateEntity } from './entities/health-state.entity';

const CHECK_MS = 1_000;
/** A change counts after this many equal checks in a row: during a start, connections open one after the other. */
const STEADY = 2;
/** Another instance takes over the watch after this. */
const LEASE_SECONDS = 5;

/** An outage cannot be stored while it lasts; the watch records it when the database has recovered. */
const DATABASE_UNAVAILABLE: Components = { database: 'unhealthy', cache: 'healthy', ai_provider: 'healthy' };

interface Watch {
  /** The health last seen; `times` counts equal checks in a row. */
  seen?: Health;
  times: number;
  /** When the database stopped answering; set after `STEADY` failed checks. */
  unavailableSince?: number;
  failedSince?: number;
  /** Checks that failed in a row. */
  faults: number;
}

/** Records changes of the overall health as `system.health` events. */
@Injectable()
export class HealthWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger(HealthWatch.name);
  private readonly instance = newUuid();
  private readonly watches: Record<Environment, Watch> = {
    live: { times: 0, faults: 0 },
    test: { times: 0, faults: 0 },
  };
  private readonly job: PeriodicJob;

  constructor(
    private readonly health: ComponentHealth,
    @InjectRepository(HealthStateEntity) private readonly states: Repository<HealthStateEntity>,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The watch of the health', CHECK_MS, () => this.check());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    const released = { leaseUntil: () => 'now()' };
    await this.states.update({ holder: this.instance }, released).catch(() => undefined); // the lease expires by itself
  }

  private async check(): Promise<void> {
    for (const environment of ENVIRONMENTS) {
      const watch = this.watches[environment];
      try {
        await this.compare(environment, watch);
      } catch (error) {
        // The next instance that holds the watch records the outage. A single failed statement is none.
        watch.failedSince ??= this.clock.now();
        watch.faults += 1;
        if (watch.faults >= STEADY) watch.unavailableSince ??= watch.failedSince;
        this.logger.debug({ err: error }, 'The health could not be compared with the last state');
      }
    }
  }

  private async compare(environment: Environment, watch: Watch): Promise<void> {
    const state = await this.hold(environment);
    const { unavailableSince } = watch;
    watch.unavailableSince = undefined;
    watch.failedSince = undefined;
    watch.faults = 0;
    if (!state) return;
    let recorded = state.status;
    if (unavailableSince !== undefined) {
      await this.record(environment, recorded, 'unhealthy', DATABASE_UNAVAILABLE, unavailableSince);
      recorded = 'unhealthy';
    }
    const components = await this.health.components(environment);
    const seen = this.health.overall(environment, components);
    watch.times = seen === watch.seen ? watch.times + 1 : 1;
    watch.seen = seen;
    if (seen !== recorded && watch.times >= STEADY) {
      await this.record(environment, recorded, seen, components, this.clock.now());
    }
  }

  private async record(
    environment: Environment,
    previous: Health | null,
    status: Health,
    components: Components,
    at: number,
  ): Promise<void> {
    // The first check finds no earlier state, so there is no change to record.
    const events: DomainEvent[] =
      previous === null
        ? []
        : [
            domainEvent(
              'system.health',
              { environment, status, previous_status: previous, components: { ...components } },
              at,
            ),
          ];
    const isHeld = { environment, holder: this.instance, status: Or(IsNull(), Not(status)) };
    const isRecorded = await this.states.manager.transaction(async (manager) => {
      const { affected } = await manager.update(HealthStateEntity, isHeld, { status });
      if (affected) await this.events.store(events, manager);
      return affected === 1;
    });
    if (isRecorded) this.events.publish(events);
  }

  /** One instance watches at a time: two that see different states would contradict each other endlessly. */
  private async hold(environment: Environment): Promise<Pick<HealthStateEntity, 'status'> | undefined> {
    const leaseUntil = () => leaseOf(LEASE_SECONDS);
    const where = 'state.holder IS NULL OR state.holder = excluded.holder OR state.lease_until < now()';
    const { raw } = await this.states
      .createQueryBuilder('state')
      .insert()
      .values({ environment, holder: this.instance, leaseUntil })
      .orUpdate(['holder', 'lease_until'], ['environment'], { overwriteCondition: { where } })
      .returning('status')
      .execute();
    return (raw as Pick<HealthStateEntity, 'status'>[])[0];
  }
}
