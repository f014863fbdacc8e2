import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '#contracts';
import { Database } from '../../core/database/database';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { SerialRun } from '../../core/queue/serial-run';
import { WakeQueue } from '../../core/queue/wake-queue';
import { batchStatement } from './batch-statement';
import { DISPATCHES } from './dispatcher';

/** Events fanned out by one statement. */
const BATCH = 1_000;

/**
 * One row for each of these events and each active webhook of its environment that is subscribed to it. Events are handed
 * over at least once: what is there already stays as it is.
 */
const FAN_OUT = batchStatement(`
  WITH dispatch AS (
    INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
    SELECT e.id, w.id, now(), now()
    FROM webhooks w JOIN events e ON e.environment = w.environment AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
    WHERE e.id = ANY ($1::uuid[]) AND w.status = 'active'
    ON CONFLICT (event_id, webhook_id) DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer AS made FROM dispatch`);

interface Entry {
  event: string;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Makes dispatches of events. What is published while one statement runs goes with the next. */
@Injectable()
export class FanOut {
  private entries: Entry[] = [];
  private readonly writing = new SerialRun(
    () => this.write(),
    () => undefined, // each event's handler has been told
  );

  constructor(
    private readonly database: Database,
    private readonly queue: WakeQueue,
  ) {}

  /** Rejects while the database is away: the event stays in the outbox and is handed over again. */
  @OnDomainEvent(...EVENT_TYPES)
  handle({ id }: DomainEvent): Promise<void> {
    return new Promise((done, failed) => {
      this.entries.push({ event: id, done, failed });
      this.writing.request();
    });
  }

  private async write(): Promise<void> {
    while (this.entries.length > 0) {
      const batch = this.entries.splice(0, BATCH);
      try {
        const [row] = await this.database.query<{ made: number }>(FAN_OUT, [batch.map(({ event }) => event)]);
        for (const { done } of batch) done();
        if (row!.made > 0) this.queue.wake(DISPATCHES);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
  }
}
