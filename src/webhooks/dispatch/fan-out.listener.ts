import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { Batcher } from '../../core/jobs/batcher';
import { SignalQueue } from '../../core/jobs/signal-queue';
import { COMMIT_WITHOUT_WAITING } from './batch-statement';
import { WEBHOOK_DISPATCH } from './webhook-dispatch.processor';

/** Events fanned out by one statement. */
const BATCH = 1_000;

/**
 * One row for each of these events ($1: ids, $2: environments, $3: types) and each active webhook of its environment that
 * is subscribed to it. Events are handed over at least once: what is there already stays as it is. It reads nothing but
 * the webhooks, so that the plan of its first run is right for good. In the order of `inLockOrder`.
 */
const FAN_OUT = statement(
  'webhook-fan-out',
  `WITH dispatch AS (
     INSERT INTO webhook_dispatches (event_id, webhook_id, created_at, next_at)
     SELECT e.id, w.id, now(), now()
     FROM unnest($1::uuid[], $2::environment[], $3::text[]) AS e (id, environment, type)
     JOIN webhooks w ON w.environment = e.environment AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
     WHERE w.status = 'active'
     ORDER BY e.id, w.id
     ON CONFLICT (event_id, webhook_id) DO NOTHING
     RETURNING 1
   )
   SELECT count(*)::integer AS made, ${COMMIT_WITHOUT_WAITING} FROM dispatch`,
);

/** Makes dispatches of events. What is published while one statement runs goes with the next. */
@Injectable()
export class FanOut {
  private readonly events = new Batcher<DomainEvent>((events) => this.write(events), { size: BATCH });

  constructor(
    private readonly database: Database,
    @InjectQueue(WEBHOOK_DISPATCH) private readonly queue: SignalQueue,
  ) {}

  /** Rejects while the database is away: the event stays in the outbox and is handed over again. */
  @OnDomainEvent(...EVENT_TYPES)
  handle(event: DomainEvent): Promise<void> {
    return this.events.add(event);
  }

  private async write(events: readonly DomainEvent[]): Promise<void> {
    const [row] = await this.database.query<{ made: number }>(FAN_OUT, [
      events.map(({ id }) => id),
      events.map(({ environment }) => environment),
      events.map(({ type }) => type),
    ]);
    if (row!.made > 0) this.queue.signal();
  }
}
