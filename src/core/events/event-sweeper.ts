import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Database, statement } from '../database/database';
import { DomainEvents } from './domain-events';
import { restoreEvent } from './domain-event';

const INTERVAL_MS = 1_000;

/** A failed handler is called again after the lease; the batch is taken by one instance only. */
const CLAIM = statement(
  'events-claim-overdue',
  `WITH overdue AS (
     UPDATE event_outbox SET lease_until = now() + interval '15 seconds'
     WHERE event_id IN (
       SELECT event_id FROM event_outbox WHERE lease_until < now() ORDER BY lease_until LIMIT 500 FOR UPDATE SKIP LOCKED
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
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    try {
      const rows = await this.database.query<EventRow>(CLAIM, []);
      this.events.publish(rows.map(restoreEvent));
    } catch (error) {
      this.logger.debug({ err: error }, 'The event outbox could not be swept');
    }
  }
}
