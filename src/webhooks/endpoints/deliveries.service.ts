import { Injectable } from '@nestjs/common';
import { Bindings } from '../../core/database/bindings';
import { Database, statement } from '../../core/database/database.service';
import { pageOf, sliceOf, type Page, type PageRow } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import { createdWithin } from '../../core/pagination/list-statement';
import { plainList } from '../../core/pagination/plain-list';
import { parseSort } from '../../core/pagination/sort';
import { SORTABLE, type DeliveryDto, type DeliveryListQuery } from '../dto/delivery.dto';
import { DELIVERY_COLUMNS, toDelivery, type DeliveryRow } from './webhook-rows';

/** Deliveries shown with a webhook. */
const RECENT = 20;

const NEWEST = statement(
  'deliveries-recent',
  `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${RECENT}`,
);

/** Reads the attempts of a webhook. */
@Injectable()
export class Deliveries {
  constructor(private readonly database: Database) {}

  async recent(webhookId: string): Promise<DeliveryDto[]> {
    const rows = await this.database.query<DeliveryRow>(NEWEST, [webhookId]);
    return rows.map(toDelivery);
  }

  async list(webhookId: string, query: DeliveryListQuery): Promise<Page<DeliveryDto>> {
    const slice = sliceOf(query, parseSort(query.sort ?? '-created_at', SORTABLE));
    const bindings = new Bindings();
    const conditions = [
      `webhook_id = ${bindings.inSight(webhookId, 'uuid')}`,
      ...(query.status ? [`status = ${bindings.inSight(query.status, 'text')}`] : []),
      ...(query.event_type ? [`event_type = ${bindings.inSight(query.event_type, 'text')}`] : []),
      ...createdWithin(timeRange(query), bindings),
    ];
    const table = 'webhook_deliveries';
    const parts = { name: 'deliveries-list', table, columns: DELIVERY_COLUMNS, conditions, slice };
    const rows = await this.database.query<PageRow<DeliveryRow>>(plainList(parts, bindings), bindings.values);
    return pageOf(rows, query, toDelivery);
  }
}
