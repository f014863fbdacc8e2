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

const LOOK_MS = 1_000;
/** A word counts once it was seen this many times in a row: connections that come up one after the other are no news. */
const STEADY = 2;
/** Another instance takes the watch over after this. */
const LEASE_SECONDS = 5;

/** Of a part that is away nothing can be stored; what was seen is told when the database is back. */
const DATABASE_AWAY: Components = { database: 'unhealthy', cache: 'healthy', ai_provider: 'healthy' };

interface Watch {
  /** The word last seen, and how many times in a row. */
  seen?: Health;
  times: number;
  /** Since when the database has not answered, once that was seen often enough. */
  awaySince?: number;
  failedSince?: number;
  /** Looks that failed in a row. */
  faults: number;
}

/** Tells of changes of the overall health word: `system.health`. */
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
    this.job = jobs.every('The watch of the health', LOOK_MS, () => this.look());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    const released = { leaseUntil: () => 'now()' };
    await this.states.update({ holder: this.instance }, released).catch(() => undefined); // the lease runs out by itself
  }

  private async look(): Promise<void> {
    for (const environment of ENVIRONMENTS) {
      const watch = this.watches[environment];
      try {
        await this.compare(environment, watch);
      } catch (error) {
        // Whoever gets the watch afterwards tells of it. A single failed statement is no outage.
        watch.failedSince ??= this.clock.now();
        watch.faults += 1;
        if (watch.faults >= STEADY) watch.awaySince ??= watch.failedSince;
        this.logger.debug({ err: error }, 'The health could not be compared with what it was');
      }
    }
  }

  private async compare(environment: Environment, watch: Watch): Promise<void> {
    const state = await this.hold(environment);
    const { awaySince } = watch;
    watch.awaySince = undefined;
    watch.failedSince = undefined;
    watch.faults = 0;
    if (!state) return;
    let told = state.status;
    if (awaySince !== undefined) {
      await this.tell(environment, told, 'unhealthy', DATABASE_AWAY, awaySince);
      told = 'unhealthy';
    }
    const components = await this.health.components(environment);
    const word = this.health.overall(environment, components);
    watch.times = word === watch.seen ? watch.times + 1 : 1;
    watch.seen = word;
    if (word !== told && watch.times >= STEADY) await this.tell(environment, told, word, components, this.clock.now());
  }

  private async tell(
    environment: Environment,
    previous: Health | null,
    status: Health,
    components: Components,
    at: number,
  ): Promise<void> {
    // Before the first look there was no word: nothing has changed.
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
    const recorded = await this.states.manager.transaction(async (manager) => {
      const { affected } = await manager.update(HealthStateEntity, isHeld, { status });
      if (affected) await this.events.store(events, manager);
      return affected === 1;
    });
    if (recorded) this.events.publish(events);
  }

  /** One instance watches: two that see different things would contradict each other without end. */
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
