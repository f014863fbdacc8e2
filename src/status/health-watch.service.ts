import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENTS, newUuid, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database, statement } from '../core/database/database.service';
import { leaseOf } from '../core/database/lease';
import { domainEvent, type DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { insertEvents } from '../core/events/event-rows';
import { type PeriodicJob, PeriodicJobs } from '../core/jobs/periodic-jobs.service';
import { ComponentHealth, type Components, type Health } from './component-health.service';

const LOOK_MS = 1_000;
/** A word counts once it was seen this many times in a row: connections that come up one after the other are no news. */
const STEADY = 2;
/** Another instance takes the watch over after this. */
const LEASE_SECONDS = 5;

/** One instance watches: two that see different things would contradict each other without end. */
const WATCH = statement(
  'health-watch',
  `INSERT INTO health_states AS h (environment, holder, lease_until)
   VALUES ($1, $2::uuid, ${leaseOf(LEASE_SECONDS)})
   ON CONFLICT (environment) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
   WHERE h.holder = excluded.holder OR h.holder IS NULL OR h.lease_until < now()
   RETURNING status`,
);
const CHANGE = statement(
  'health-change',
  `WITH changed AS (
     UPDATE health_states SET status = $3 WHERE environment = $1 AND holder = $2::uuid AND status IS DISTINCT FROM $3
     RETURNING 1
   ),
   ${insertEvents('$4', 'EXISTS (SELECT FROM changed)')}
   SELECT EXISTS (SELECT FROM changed) AS recorded`,
);
const RELEASE = statement('health-release', 'UPDATE health_states SET lease_until = now() WHERE holder = $1::uuid');

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
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The watch of the health', LOOK_MS, () => this.look());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    await this.database.query(RELEASE, [this.instance]).catch(() => undefined); // the lease runs out by itself
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
    const [row] = await this.database.query<{ status: Health | null }>(WATCH, [environment, this.instance]);
    const { awaySince } = watch;
    watch.awaySince = undefined;
    watch.failedSince = undefined;
    watch.faults = 0;
    if (!row) return;
    let told = row.status;
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
    const values = [environment, this.instance, status, this.events.rows(events)];
    const [row] = await this.database.query<{ recorded: boolean }>(CHANGE, values);
    if (row!.recorded) this.events.publish(events);
  }
}
