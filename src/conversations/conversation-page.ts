import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ConversationStatus, Environment, Platform } from '#contracts';
import type { Slice } from '../core/pagination/list-page';
import type { TimeRange } from '../core/pagination/list-query.dto';
import { orderOf, type SortField } from '../core/pagination/sort';
import { ConversationCountChangeEntity } from './entities/conversation-count-change.entity';
import { ConversationCountEntity } from './entities/conversation-count.entity';
import { ConversationEntity } from './entities/conversation.entity';

const HOUR_MS = 3_600_000;

export interface ConversationFilter extends TimeRange {
  environment: Environment;
  platform?: Platform;
  status?: ConversationStatus;
}

/**
 * The conversations of a page, and the number that the filter selects. The statement skips earlier rows in an index, from
 * the nearer end of the list; it reads only the shown rows from the table.
 * @param manager of a transaction with one snapshot, so that page and total agree
 */
export async function conversationPage(
  manager: EntityManager,
  filter: ConversationFilter,
  { order, offset, limit }: Slice,
): Promise<[ConversationEntity[], number]> {
  const total = await count(manager, filter);
  const rest = Math.max(0, total - offset);
  const isNear = offset <= rest;
  const ids = selected(manager, filter)
    .select('conversation.id')
    .orderBy(orderOf(isNear ? order : backwards(order), 'conversation'))
    .offset(isNear ? offset : Math.max(0, rest - limit))
    .limit(isNear ? limit : Math.min(limit, rest));
  const conversations = await manager
    .createQueryBuilder(ConversationEntity, 'conversation')
    .where(`conversation.id IN (${ids.getQuery()})`)
    .setParameters(ids.getParameters())
    .orderBy(orderOf(order, 'conversation'))
    .getMany();
  return [conversations, total];
}

/** Whole hours are stored as counts; the statement counts only the hours that the range cuts. */
async function count(manager: EntityManager, filter: ConversationFilter): Promise<number> {
  const { from, until } = filter;
  const first = from && new Date(Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS);
  const last = until && new Date(Math.floor(until.getTime() / HOUR_MS) * HOUR_MS);
  if (first && last && first >= last) return selected(manager, filter).getCount();
  let total = await countHours(manager, { ...filter, from: first, until: last });
  if (from) total += await selected(manager, { ...filter, until: first }).getCount();
  if (until) total += await selected(manager, { ...filter, from: last }).getCount();
  return total;
}

/** @param filter selects whole hours */
async function countHours(manager: EntityManager, filter: ConversationFilter): Promise<number> {
  const counts = manager.createQueryBuilder(ConversationCountEntity, 'counted').select('sum(counted.count)', 'sum');
  const changes = manager.createQueryBuilder(ConversationCountChangeEntity, 'noted').select('sum(noted.change)', 'sum');
  // One stored count covers all hours.
  counts.where(filter.from || filter.until ? `counted.hour > '-infinity'` : `counted.hour = '-infinity'`);
  let total = 0;
  for (const sums of [matching(counts, filter, 'hour'), matching(changes, filter, 'hour')]) {
    total += Number((await sums.getRawOne<{ sum: string | null }>())?.sum);
  }
  return total;
}

function selected(manager: EntityManager, filter: ConversationFilter): SelectQueryBuilder<ConversationEntity> {
  return matching(manager.createQueryBuilder(ConversationEntity, 'conversation'), filter, 'createdAt');
}

function matching<Row extends ObjectLiteral>(
  rows: SelectQueryBuilder<Row>,
  { environment, platform, status, from, until }: ConversationFilter,
  time: string,
): SelectQueryBuilder<Row> {
  const { alias } = rows;
  rows.andWhere(`${alias}.environment = :environment`, { environment });
  if (platform) rows.andWhere(`${alias}.platform = :platform`, { platform });
  if (status) rows.andWhere(`${alias}.status = :status`, { status });
  if (from) rows.andWhere(`${alias}.${time} >= :from`, { from });
  if (until) rows.andWhere(`${alias}.${time} < :until`, { until });
  return rows;
}

function backwards(order: readonly SortField[]): SortField[] {
  return order.map(({ column, descending }) => ({ column, descending: !descending }));
}
