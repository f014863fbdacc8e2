import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Not, Repository } from 'typeorm';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { EventEntity } from '../../core/events/event.entity';
import { parseSort } from '../../core/pagination/sort';
import { SORTABLE, type DeliveryDetailDto, type DeliveryDto, type DeliveryListQuery } from '../dto/delivery.dto';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';
import { toDelivery, toDeliveryDetail } from './webhook-record';

/** Deliveries shown with a webhook. */
const RECENT = 20;

/** Reads the attempts of a webhook. */
@Injectable()
export class Deliveries {
  constructor(
    @InjectRepository(WebhookDeliveryEntity) private readonly deliveries: Repository<WebhookDeliveryEntity>,
  ) {}

  async recent(webhookId: string): Promise<DeliveryDto[]> {
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    const deliveries = await this.deliveries.find({ where: { webhookId }, order, take: RECENT });
    return this.withRetries(webhookId, deliveries.map(toDelivery));
  }

  async list(webhookId: string, query: DeliveryListQuery): Promise<Page<DeliveryDto>> {
    const where = {
      webhookId,
      ...(query.status && { status: query.status }),
      ...(query.event_type && { eventType: query.event_type }),
      ...createdWithin(query),
    };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    const page = await findPage(this.deliveries, { where, sort, query }, toDelivery);
    await this.withRetries(webhookId, page.items);
    return page;
  }

  /** A delivery with its request and response. @throws ApiError RESOURCE_NOT_FOUND */
  async read(webhookId: string, id: string): Promise<DeliveryDetailDto> {
    const delivery = await this.deliveries
      .createQueryBuilder('delivery')
      .addSelect(['delivery.url', 'delivery.signedTwice', 'delivery.responseHeaders', 'delivery.responseBody'])
      .where({ id, webhookId })
      .getOne();
    if (!delivery) throw unknownDelivery(id);
    const { manager } = this.deliveries;
    // Attempts of an earlier version have no URL of their own.
    const url = delivery.url ?? (await manager.findOneByOrFail(WebhookEntity, { id: webhookId })).url;
    const event = await manager.findOneBy(EventEntity, { id: delivery.eventId });
    const detail = toDeliveryDetail(delivery, { url, body: event?.body ?? null });
    await this.withRetries(webhookId, [detail]);
    return detail;
  }

  /** The same, if only the delivery's id is known. @throws ApiError RESOURCE_NOT_FOUND */
  async find(environment: Environment, id: string): Promise<DeliveryDetailDto> {
    const delivery = await this.deliveries.findOne({ where: { id }, select: { id: true, webhookId: true } });
    const { manager } = this.deliveries;
    if (!delivery || !(await manager.existsBy(WebhookEntity, { id: delivery.webhookId, environment })))
      throw unknownDelivery(id);
    return this.read(delivery.webhookId, id);
  }

  /**
   * A delivery row keeps the retry that its attempt scheduled. It is shown while a retry will follow: not after the event
   * was delivered or given up, nor while the webhook is disabled or failed.
   */
  private async withRetries(webhookId: string, deliveries: DeliveryDto[]): Promise<DeliveryDto[]> {
    const retried = deliveries.filter(({ next_retry_at }) => next_retry_at !== null);
    if (retried.length === 0) return deliveries;
    const eventIds = retried.map(({ event_id }) => fromPublicId('event', event_id)!);
    const { manager } = this.deliveries;
    const isActive = await manager.existsBy(WebhookEntity, { id: webhookId, status: 'active' });
    const where = { webhookId, eventId: In(eventIds), nextAt: Not(IsNull()) };
    const due = isActive ? await manager.find(WebhookDispatchEntity, { where, select: { eventId: true } }) : [];
    const dueIds = new Set(due.map(({ eventId }) => toPublicId('event', eventId)));
    for (const delivery of retried) if (!dueIds.has(delivery.event_id)) delivery.next_retry_at = null;
    return deliveries;
  }
}

function unknownDelivery(id: string): ApiError {
  return ApiError.notFound('delivery', toPublicId('delivery', id));
}
