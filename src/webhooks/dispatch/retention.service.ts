import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { SettingsService } from '../../core/settings/settings.service';
import { type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';

const FIRST_RUN_MS = 60_000;
const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Rows deleted by one statement: none holds its locks for long. */
const BATCH = 2_000;

/** $1: environment, $2: before when. What is still to be delivered of so old an event goes with it. */
const EVENTS = statement(
  'retention-events',
  `WITH event AS (
     DELETE FROM events WHERE id IN (
       SELECT id FROM events WHERE environment = $1 AND created_at < $2
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     )
     RETURNING id
   ),
   dispatch AS (DELETE FROM webhook_dispatches USING event WHERE event_id = event.id)
   SELECT count(*)::integer AS deleted FROM event`,
);

/** Those of deleted webhooks belong to no environment any more. */
const DELIVERIES = statement(
  'retention-deliveries',
  `WITH delivery AS (
     DELETE FROM webhook_deliveries WHERE id IN (
       SELECT d.id FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
       WHERE (w.id IS NULL OR w.environment = $1) AND d.created_at < $2
         AND d.id < $3::uuid
       ORDER BY d.id LIMIT ${BATCH} FOR UPDATE OF d SKIP LOCKED
     )
     RETURNING 1
   )
   SELECT count(*)::integer AS deleted FROM delivery`,
);

const DELETIONS = ENVIRONMENTS.flatMap((environment) => [
  [EVENTS, environment] as const,
  [DELIVERIES, environment] as const,
]);

/** Deletes events and deliveries that are older than `retention.delivery_days`. */
@Injectable()
export class Retention {
  private readonly job: PeriodicJob;
  /** What this turn has not finished: to find that nothing is left of the others takes long. */
  private due = [...DELETIONS];

  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The deletion of old events', INTERVAL_MS, () => this.deleteBatch(), FIRST_RUN_MS);
  }

  /** Deletes what is too old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private async deleteBatch(): Promise<boolean> {
    for (let deletion; (deletion = this.due[0]);) {
      const [old, environment] = deletion;
      const before = this.cutOff(environment);
      const values = old === EVENTS ? [environment, before] : [environment, before, firstIdOf(before)];
      const [row] = await this.database.query<{ deleted: number }>(old, values);
      if (row!.deleted === BATCH) return true;
      this.due.shift();
    }
    this.due = [...DELETIONS];
    return false;
  }

  private cutOff(environment: Environment): Date {
    const { delivery_days } = this.settings.of(environment).retention;
    return new Date(this.clock.now() - delivery_days * DAY_MS);
  }
}

/** The least UUIDv7 of a moment: ids are in the order of time, so the primary key finds what is older. */
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
