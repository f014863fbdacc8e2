import { Injectable } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database, statement } from '../database/database.service';
import { leaseOf } from '../database/lease';
import { claimDeadline } from '../jobs/claim-deadline';
import { PeriodicJobs } from '../jobs/periodic-jobs.service';
import { DomainEvents } from './domain-events.service';
import { restoreEvent } from './domain-event';

const INTERVAL_MS = 1_000;
/** Events that one statement claims, handled together. */
const BATCH = 1_000;

/** One instance claims a batch; after a failure, the handlers run again when the lease ends. */
const CLAIM = statement(
  'events-claim-overdue',
  `WITH overdue AS (
     UPDATE event_outbox SET lease_until = ${leaseOf(15)}
     WHERE event_id IN (
       SELECT event_id FROM event_outbox WHERE lease_until < now() AND now() < $1::timestamptz
       ORDER BY lease_until LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     )
     RETURNING event_id
   )
   SELECT e.id, e.environment, e.type, e.body, e.created_at FROM overdue JOIN events e ON e.id = overdue.event_id
   ORDER BY e.id`,
);

interface EventRow {
  id: string;
  environment: Environment;
  type: EventType;
  body: string;
  created_at: Date;
}

/** Handles the events that a crash or a failed handler left. */
@Injectable()
export class EventSweeper {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The handling of overdue events', INTERVAL_MS, () => this.deliverBatch(), 0);
  }

  /** @returns whether the batch was full: then the job runs again at once, to work off the backlog */
  private async deliverBatch(): Promise<boolean> {
    const rows = await this.database.query<EventRow>(CLAIM, [claimDeadline(this.clock)]);
    await this.events.deliver(rows.map(restoreEvent));
    return rows.length === BATCH;
  }
}
