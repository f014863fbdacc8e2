import { Injectable } from '@nestjs/common';
import { Database, statement } from '../core/database/database';
import { Page } from '../core/http/envelope';
import { timeRange } from '../core/http/list-query.dto';
import { listStatement } from '../core/http/list-statement';
import { orderBy, parseSort } from '../core/http/sort';
import type { DeliveryDto, DeliveryListQuery } from './dto/delivery.dto';
import { DELIVERY_COLUMNS, toDelivery, type DeliveryRow } from './webhook-rows';

const SORTABLE = { created_at: 'created_at', timestamp: 'created_at', response_time_ms: 'response_time_ms' };

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
    const conditions = ['webhook_id = $1'];
    const values: unknown[] = [webhookId];
    const where = (sql: string, value: unknown) => {
      if (value === undefined) return;
      values.push(value);
      conditions.push(sql.replace('?', `$${values.length}`));
    };
    where('status = ?', query.status);
    where('event_type = ?', query.event_type);
    where('created_at >= ?', from);
    where('created_at < ?', until);
    const filter = conditions.join(' AND ');
    const sql = `WITH page AS (
        SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE ${filter}
        ORDER BY ${order} LIMIT $${values.length + 1} OFFSET $${values.length + 2}
      )
      SELECT (SELECT count(*) FROM webhook_deliveries WHERE ${filter})::int AS total,
        (SELECT json_agg(page) FROM page) AS page`;
    const [row] = await this.database.query<{ total: number; page: DeliveryRow[] | null }>(
      listStatement('deliveries-list', sql, sort),
      [...values, query.per_page, (query.page - 1) * query.per_page],
    );
    return new Page((row!.page ?? []).map(toDelivery), query, row!.total);
  }
}
