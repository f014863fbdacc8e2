import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { parseSort } from '../../core/pagination/sort';
import { SORTABLE, type DeliveryDto, type DeliveryListQuery } from '../dto/delivery.dto';
import { WebhookDeliveryEntity } from '../entities/webhook-delivery.entity';
import { toDelivery } from './webhook-record';

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
}
