import { Injectable } from '@nestjs/common';
import { toPublicId, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import { PeriodicJobs } from '../../core/jobs/periodic-jobs.service';

/** No caller waits for a sandbox delivery, so the confirmer need not query the database more often. */
const INTERVAL_MS = 250;
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
export class DeliveryConfirmer {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The confirmation of deliveries', INTERVAL_MS, () => this.confirmBatch());
  }

  private async confirmBatch(): Promise<boolean> {
    const events = await this.database.transaction(async (client) => {
      const rows = await this.database.query<DueRow>(DUE, [], client);
      if (rows.length === 0) return [];
      const now = this.clock.date();
      const delivered = rows.map((row) => this.events.create('message.delivered', eventData(row, now)));
      await this.database.query(CONFIRM, [rows.map(({ id }) => id), now, this.events.rows(delivered)], client);
      return delivered;
    });
    this.events.publish(events);
    return events.length === BATCH;
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
