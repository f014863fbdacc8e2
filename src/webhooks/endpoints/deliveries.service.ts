import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { EventEntity } from '../../core/events/event.entity';
import { parseSort } from '../../core/pagination/sort';
import { SORTABLE, type DeliveryDetailDto, type DeliveryDto, type DeliveryListQuery } from '../dto/delivery.dto';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
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
    return (await this.deliveries.find({ where: { webhookId }, order, take: RECENT })).map(toDelivery);
  }

  list(webhookId: string, query: DeliveryListQuery): Promise<Page<DeliveryDto>> {
    const where = {
      webhookId,
      ...(query.status && { status: query.status }),
      ...(query.event_type && { eventType: query.event_type }),
      ...createdWithin(query),
    };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.deliveries, { where, sort, query }, toDelivery);
  }

  /** A delivery with its request and response. @throws ApiError RESOURCE_NOT_FOUND */
  async read(webhookId: string, id: string): Promise<DeliveryDetailDto> {
    const delivery = await this.deliveries
      .createQueryBuilder('delivery')
      .addSelect(['delivery.url', 'delivery.signedTwice', 'delivery.responseHeaders', 'delivery.responseBody'])
      .where({ id, webhookId })
      .getOne();
    if (!delivery) throw ApiError.notFound('delivery', toPublicId('delivery', id));
    const { manager } = this.deliveries;
    // Attempts of an earlier version have no URL of their own.
    const url = delivery.url ?? (await manager.findOneByOrFail(WebhookEntity, { id: webhookId })).url;
    const event = await manager.findOneBy(EventEntity, { id: delivery.eventId });
    return toDeliveryDetail(delivery, { url, body: event?.body ?? null });
  }
}
