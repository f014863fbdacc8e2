import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { isFree } from '../../core/database/lease';
import { Database, statement } from '../../core/database/database.service';
import { EventEntity } from '../../core/events/event.entity';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { SignalQueue } from '../../core/jobs/signal-queue';
import { WEBHOOK_DISPATCH } from '../dispatch/webhook-dispatch.processor';
import { isTestEventSql } from '../dispatch/test-event';
import type { RedeliveryDto, ReplayedDto } from '../dto/delivery.dto';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';
import { unknownWebhook } from './webhooks.service';

/** Events replayed by one statement. */
const BATCH = 5_000;

/** Begins a new round. A worker with the old fence still records its attempt, but changes nothing else. */
const NEW_ROUND = {
  state: 'pending',
  retries: 0,
  nextAt: () => 'now()',
  leaseUntil: null,
  fence: () => 'fence + 1',
} as const;

/**
 * $1: webhook, $2 and $3: time and id to continue after, $4: how many. It skips events from before the webhook was made,
 * events that are being delivered right now, and test events. It locks rows in the order of `inLockOrder`.
 */
const REPLAY = statement(
  'webhook-replay',
  `WITH event AS (
     SELECT e.id, e.created_at FROM events e JOIN webhooks w ON w.id = $1 AND w.environment = e.environment
     WHERE (e.created_at, e.id) > ($2::timestamptz, $3::uuid) AND e.created_at >= w.created_at AND (e.type = ANY (w.events) OR '*' = ANY (w.events))
       AND NOT ${isTestEventSql('e')}
     ORDER BY e.created_at, e.id LIMIT $4
   ),
   queued AS (
     INSERT INTO webhook_dispatches AS d (event_id, webhook_id, created_at, next_at)
     SELECT id, $1, now(), now() FROM event ORDER BY id
     ON CONFLICT (event_id, webhook_id) DO UPDATE SET
       state = 'pending', retries = 0, next_at = now(), lease_until = NULL, fence = d.fence + 1
       WHERE d.delivered_at IS NULL AND ${isFree('d.lease_until')}
     RETURNING 1
   )
   SELECT (SELECT count(*) FROM queued)::integer AS queued, count(*)::integer AS seen,
     max(created_at) AS last_at, (array_agg(id ORDER BY created_at DESC, id DESC))[1] AS last_id
   FROM event`,
);

/** Less than any id, so that a replay includes events of the first moment itself. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Sends the event of one delivery again, or all events that an active webhook has missed. */
@Injectable()
export class Redelivery {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    @InjectRepository(WebhookDeliveryEntity) private readonly deliveries: Repository<WebhookDeliveryEntity>,
    @InjectRepository(WebhookDispatchEntity) private readonly dispatches: Repository<WebhookDispatchEntity>,
    private readonly database: Database,
    @InjectQueue(WEBHOOK_DISPATCH) private readonly queue: SignalQueue,
  ) {}

  async redeliver(environment: Environment, webhookId: string, deliveryId: string): Promise<RedeliveryDto> {
    await this.requireActive(environment, webhookId);
    const delivery = await this.deliveries.findOneBy({ id: deliveryId, webhookId });
    if (!delivery || !(await this.beginNewRound(delivery))) {
      throw ApiError.notFound('delivery', toPublicId('delivery', deliveryId));
    }
    this.queue.signal();
    return {
      webhook_id: toPublicId('webhook', webhookId),
      event_id: toPublicId('event', delivery.eventId),
      event_type: delivery.eventType,
      status: 'pending',
    };
  }

  /** @returns false when the event is no longer stored */
  private async beginNewRound({ eventId, webhookId }: WebhookDeliveryEntity): Promise<boolean> {
    if (!(await this.dispatches.manager.existsBy(EventEntity, { id: eventId }))) return false;
    const { affected } = await this.dispatches.update({ eventId, webhookId }, NEW_ROUND);
    return affected === 1;
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
      if (row!.queued > 0) this.queue.signal();
      if (row!.seen < BATCH) break;
      after = [row!.last_at, row!.last_id];
    }
    return { webhook_id: toPublicId('webhook', webhookId), since: since.toISOString(), events_queued: total };
  }

  private async requireActive(environment: Environment, id: string): Promise<void> {
    const webhook = await this.webhooks.findOneBy({ id, environment });
    if (!webhook) throw unknownWebhook(id);
    if (webhook.status === 'active') return;
    throw ApiError.malformed(`the webhook is ${webhook.status}; make it active again with {"enabled": true} first`);
  }
}
