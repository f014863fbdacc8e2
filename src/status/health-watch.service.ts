import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Or, Repository } from 'typeorm';
import { ENVIRONMENTS, newUuid, type Environment } from '#contracts';
import { leaseOf } from '../core/database/lease';
import { WriteHealth } from '../core/database/connections/write-health.service';
import { domainEvent, type DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { type Timer, Timers } from '../core/work/timers/timers.service';
import type { Health } from './component-health.service';
import { HealthStateEntity } from './entities/health-state.entity';
import { HealthEvaluator, type HealthEvaluation } from './health-evaluator.service';

const CHECK_MS = 1_000;

/** Another instance may take over the watch after this. */
const LEASE_SECONDS = 30;

const RENEW_MS = 10_000;

/** Reports changes of the overall health as `system.health` events. */
@Injectable()
export class HealthWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger(HealthWatch.name);
  private readonly instance = newUuid();
  private readonly job: Timer;
  private renewedAt = -Infinity;

  constructor(
    private readonly evaluator: HealthEvaluator,
    private readonly writes: WriteHealth,
    @InjectRepository(HealthStateEntity) private readonly states: Repository<HealthStateEntity>,
    private readonly events: DomainEvents,
    timers: Timers,
  ) {
    this.job = timers.every('Health watch', CHECK_MS, () => this.check(), { scope: 'process' });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
    const released = { leaseUntil: () => 'now()' };
    await this.states.update({ holder: this.instance }, released).catch(() => undefined); // the lease expires by itself
  }

  private async check(): Promise<void> {
    await this.writes.probe();
    const mustRenew = performance.now() - this.renewedAt >= RENEW_MS;
    if (mustRenew) this.renewedAt = performance.now();
    for (const environment of ENVIRONMENTS) {
      this.evaluator.check(environment);
      if (!mustRenew && this.evaluator.unreported(environment).length === 0) continue;
      try {
        await this.report(environment);
      } catch (error) {
        // If it cannot be stored now, the event follows when the database has recovered.
        this.logger.debug({ err: error }, 'The health could not be compared with the last state');
      }
    }
  }

  /** Records changes that no event has reported yet, unless another instance watches. */
  private async report(environment: Environment): Promise<void> {
    const state = await this.hold(environment);
    const unreported = this.evaluator.unreported(environment);
    if (!state) {
      unreported.length = 0;
      return;
    }
    let recorded = state.status;
    const reportOne = async (evaluator: HealthEvaluation) => {
      if (evaluator.status !== recorded) await this.record(environment, recorded, evaluator);
      recorded = evaluator.status;
    };
    for (let next = unreported[0]; next; next = unreported[0]) {
      await reportOne(next);
      unreported.shift();
    }
    // After a takeover, the status that the former holder reported may differ from the current status.
    const current = this.evaluator.current(environment);
    if (current) await reportOne(current);
  }

  private async record(
    environment: Environment,
    previous: Health | null,
    { status, components, at }: HealthEvaluation,
  ): Promise<void> {
    // Before the first check there was no state, so there is no change to report.
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

  /**
   * Takes or keeps the watch. One instance watches at a time: two that see different states would contradict each other
   * endlessly.
   */
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
