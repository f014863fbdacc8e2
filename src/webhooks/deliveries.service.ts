import { Injectable } from '@nestjs/common';
import { Bindings } from '../core/database/bindings';
import { Database, statement } from '../core/database/database';
import type { Page } from '../core/http/envelope';
import { pageOf, type PageRow } from '../core/http/list-page';
import { timeRange } from '../core/http/list-query.dto';
import { listStatement } from '../core/http/list-statement';
import { orderBy, parseSort } from '../core/http/sort';
import { SORTABLE, type DeliveryDto, type DeliveryListQuery } from './dto/delivery.dto';
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
    const { from, until } = timeRange(query);
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    const order = orderBy(sort);
    const bindings = new Bindings();
    const conditions = [`webhook_id = ${bindings.inSight(webhookId, 'uuid')}`];
    if (query.status) conditions.push(`status = ${bindings.inSight(query.status, 'text')}`);
    if (query.event_type) conditions.push(`event_type = ${bindings.inSight(query.event_type, 'text')}`);
    if (from) conditions.push(`created_at >= ${bindings.inSight(from, 'timestamptz')}`);
    if (until) conditions.push(`created_at < ${bindings.inSight(until, 'timestamptz')}`);
    const where = conditions.join(' AND ');
    const limit = bindings.inSight(query.per_page, 'bigint');
    const offset = bindings.inSight((query.page - 1) * query.per_page, 'bigint');
    // One snapshot for page and total: they agree.
    const text = `SELECT counted.total, page.* FROM (SELECT count(*)::int AS total FROM webhook_deliveries WHERE ${where}) counted
      LEFT JOIN (
        SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE ${where} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
      ) page ON true
      ORDER BY ${order}`;
    const list = listStatement('deliveries-list', text, sort);
    return pageOf(await this.database.query<PageRow<DeliveryRow>>(list, bindings.values), query, toDelivery);
  }
}
