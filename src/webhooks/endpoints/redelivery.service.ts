import { Injectable } from '@nestjs/common';
import { toPublicId, type Environment, type EventType } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import { isFree } from '../../core/database/lease';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { WorkSignals } from '../../core/jobs/work-signals.service';
import { DISPATCHES } from '../dispatch/dispatcher.service';
import { isTestEventSql } from '../dispatch/test-event';
import type { RedeliveryDto, ReplayedDto } from '../dto/delivery.dto';
import type { WebhookStatus } from '../dto/webhook.dto';
import { unknownWebhook } from './webhooks.service';

/** Events replayed by one statement. */
const BATCH = 5_000;

const STATUS = statement('webhook-status', 'SELECT status FROM webhooks WHERE id = $1 AND environment = $2');

/** A new round. Whoever is at it under the old fence records its attempt, but decides nothing any more. */
const NEW_ROUND = `state = 'pending', retries = 0, next_at = now(), lease_until = NULL, fence = d.fence + 1`;

const REDELIVER = statement(
  'delivery-redeliver',
  `WITH tried AS (SELECT event_id, event_type FROM webhook_deliveries WHERE id = $2 AND webhook_id = $1),
   dispatch AS (
     UPDATE webhook_dispatches d SET ${NEW_ROUND} FROM tried
     WHERE d.event_id = tried.event_id AND d.webhook_id = $1 AND EXISTS (SELECT FROM events e WHERE e.id = tried.event_id)
     RETURNING d.event_id
   )
   SELECT tried.event_id, tried.event_type FROM tried JOIN dispatch USING (event_id)`,
);

/**
 * $1: webhook, $2 and $3: time and id to go on after, $4: how many. An event that is being delivered right now is left to
 * that; test events are nobody's news. Locked in the order of `inLockOrder`.
 */
const REPLAY = statement(
  'webhook-replay',
  `WITH event AS (
     SELECT e.id, e.created_at FROM events e JOIN webhooks w ON w.id = $1 AND w.environment = e.environment
     WHERE (e.created_at, e.id) > ($2::timestamptz, $3::uuid) AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
       AND NOT ${isTestEventSql('e')}
     ORDER BY e.created_at, e.id LIMIT $4
   ),
   queued AS (
     INSERT INTO webhook_dispatches AS d (event_id, webhook_id, created_at, next_at)
     SELECT id, $1, now(), now() FROM event ORDER BY id
     ON CONFLICT (event_id, webhook_id) DO UPDATE SET ${NEW_ROUND}
       WHERE d.delivered_at IS NULL AND ${isFree('d.lease_until')}
     RETURNING 1
   )
   SELECT (SELECT count(*) FROM queued)::integer AS queued, count(*)::integer AS seen,
     max(created_at) AS last_at, (array_agg(id ORDER BY created_at DESC, id DESC))[1] AS last_id
   FROM event`,
);

/** Less than any id: events of the first moment itself are part of it. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Sends again: one delivery's event, or whatever an active webhook has missed. */
@Injectable()
export class Redelivery {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkSignals,
  ) {}

  async redeliver(environment: Environment, webhookId: string, deliveryId: string): Promise<RedeliveryDto> {
    await this.requireActive(environment, webhookId);
    const [row] = await this.database.query<{ event_id: string; event_type: EventType }>(REDELIVER, [
      webhookId,
      deliveryId,
    ]);
    if (!row) throw ApiError.notFound('delivery', toPublicId('delivery', deliveryId));
    this.queue.signal(DISPATCHES);
    return {
      webhook_id: toPublicId('webhook', webhookId),
      event_id: toPublicId('event', row.event_id),
      event_type: row.event_type,
      status: 'pending',
    };
  }

  async replay(environment: Environment, webhookId: string, since: Date): Promise<ReplayedDto> {
    await this.requireActive(environment, webhookId);
    let after: [Date, string] = [since, BEFORE_ALL];
    let total = 0;
    for (;;) {
      const [row] = await this.database.query<{ queued: number; seen: number; last_at: Date; last_id: string }>(
        REPLAY,
        [webhookId, ...after, BATCH],
      );
      total += row!.queued;
      if (row!.queued > 0) this.queue.signal(DISPATCHES);
      if (row!.seen < BATCH) break;
      after = [row!.last_at, row!.last_id];
    }
    return { webhook_id: toPublicId('webhook', webhookId), since: since.toISOString(), events_queued: total };
  }

  private async requireActive(environment: Environment, id: string): Promise<void> {
    const [row] = await this.database.query<{ status: WebhookStatus }>(STATUS, [id, environment]);
    if (!row) throw unknownWebhook(id);
    if (row.status === 'active') return;
    throw ApiError.malformed(`the webhook is ${row.status}; make it active again with {"enabled": true} first`);
  }
}
