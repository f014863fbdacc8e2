import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database, statement } from '../database/database.service';
import { CoalescingTask } from '../jobs/coalescing-task';
import { claimDeadline } from '../jobs/claim-deadline';
import { DomainEvents } from './domain-events.service';
import { restoreEvent } from './domain-event';

const INTERVAL_MS = 1_000;
/** Events claimed by one statement, and handed over together. */
const BATCH = 1_000;

/** A failed handler is called again after the lease; the batch is taken by one instance only. */
const CLAIM = statement(
  'events-claim-overdue',
  `WITH overdue AS (
     UPDATE event_outbox SET lease_until = now() + interval '15 seconds'
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

/** Hands over the events that a crash or a failed handler left. */
@Injectable()
export class EventSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EventSweeper.name);
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private readonly sweeping = new CoalescingTask(
    () => this.sweep(),
    (error) => this.logger.debug({ err: error }, 'The event outbox could not be swept'),
  );

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.sweeping.request(), INTERVAL_MS);
    this.sweeping.request();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping.stop();
  }

  /** Until a batch is not full: a backlog is not drained by the second. */
  private async sweep(): Promise<void> {
    let claimed: number;
    do {
      const rows = await this.database.query<EventRow>(CLAIM, [claimDeadline(this.clock)]);
      await this.events.handOver(rows.map(restoreEvent));
      claimed = rows.length;
    } while (claimed === BATCH && !this.stopped);
  }
}
