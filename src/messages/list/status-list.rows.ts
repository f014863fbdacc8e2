import { orderBy } from '../../core/pagination/sort';
import type { ListBindings, ListShape, ListSql } from './list-sql';

/** No index has the status of a message (ADR 37): a list by status reads at most this many messages, those of its range. */
export const READ_AT_MOST = 1_000_000;

/**
 * A list of outbound messages by their status. Failed messages have a table of their own; for another status PostgreSQL reads
 * all messages of the range. The planner sees the values, because the best plan depends on the length of the range.
 */
export function statusList({ status, platform, from, until, order }: ListShape, bindings: ListBindings): ListSql {
  const isFailed = status === 'failed';
  const conditions = [
    `environment = ${bindings.inSight('environment', 'environment')}`,
    ...(isFailed ? [] : [`direction = 'outbound'`, `status = ${bindings.inSight('status', 'text')}`]),
    ...(platform ? [`platform = ${bindings.inSight('platform', 'text')}`] : []),
    ...(from ? [`created_at >= ${bindings.inSight('from', 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.inSight('until', 'timestamptz')}`] : []),
  ].join(' AND ');
  const source = isFailed
    ? `SELECT message_id AS id, created_at, platform, 'outbound' AS direction, conversation_id FROM failed_messages WHERE ${conditions}`
    : `SELECT id, created_at, platform, direction, conversation_id FROM messages WHERE ${conditions}`;
  const [limit, offset] = [bindings.inSight('limit', 'bigint'), bindings.inSight('offset', 'bigint')];
  return {
    tables: [],
    total: `SELECT count(*) FROM ${isFailed ? 'failed_messages' : 'messages'} WHERE ${conditions}`,
    page: `SELECT id FROM (${source}) m ORDER BY ${orderBy(order)} LIMIT ${limit} OFFSET ${offset}`,
  };
}
