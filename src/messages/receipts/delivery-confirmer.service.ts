import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { toPublicId, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';

const BUSY_INTERVAL_MS = 100;
/** Nobody waits for a sandbox delivery; the database need not be asked ten times a second. */
const IDLE_INTERVAL_MS = 500;
const BATCH = 500;

export const DUE = statement(
  'confirm-due',
  `SELECT m.id, m.environment, m.platform, m.conversation_id, c.participant_id, c.participant_name
   FROM message_tasks t JOIN messages m ON m.id = t.message_id JOIN conversations c ON c.id = m.conversation_id
   WHERE t.stage = 'confirm' AND t.next_at <= now()
   ORDER BY t.next_at LIMIT ${BATCH} FOR UPDATE OF t SKIP LOCKED`,
);

export const CONFIRM = statement(
  'confirm-deliveries',
  `WITH message AS (
     UPDATE messages SET status = 'delivered', delivered_at = $2, confirmation = 'platform'
     WHERE id = ANY($1::uuid[]) AND status = 'sent'
   ),
   task AS (DELETE FROM message_tasks WHERE message_id = ANY($1::uuid[])),
   ${insertEvents('$3')}
   SELECT 1`,
);

export interface DueRow {
  id: string;
  environment: Environment;
  platform: Platform;
  conversation_id: string;
  participant_id: string;
  participant_name: string | null;
}

/** Confirms deliveries where the platform accepts at once and confirms a moment later without a receipt (sandbox), in batches. */
@Injectable()
export class DeliveryConfirmer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryConfirmer.name);
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(afterMs = IDLE_INTERVAL_MS): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.confirmAll().then((confirmed) => this.schedule(confirmed > 0 ? BUSY_INTERVAL_MS : undefined));
    }, afterMs);
  }

  private async confirmAll(): Promise<number> {
    let confirmed = 0;
    try {
      for (let batch = BATCH; batch === BATCH && !this.stopped; confirmed += batch) batch = await this.confirmBatch();
    } catch (error) {
      this.logger.debug({ err: error }, 'Deliveries could not be confirmed');
    }
    return confirmed;
  }

  private async confirmBatch(): Promise<number> {
    const events = await this.database.transaction(async (client) => {
      const rows = await this.database.query<DueRow>(DUE, [], client);
      if (rows.length === 0) return [];
      const now = this.clock.date();
      const delivered = rows.map((row) => this.events.create('message.delivered', eventData(row, now)));
      await this.database.query(CONFIRM, [rows.map(({ id }) => id), now, this.events.rows(delivered)], client);
      return delivered;
    });
    this.events.publish(events);
    return events.length;
  }
}

function eventData(row: DueRow, now: Date) {
  return {
    message_id: toPublicId('message', row.id),
    conversation_id: toPublicId('conversation', row.conversation_id),
    platform: row.platform,
    environment: row.environment,
    recipient: { id: row.participant_id, name: row.participant_name },
    delivered_at: now.toISOString(),
    confirmation: 'platform' as const,
  };
}
