import { PLACED, SHOWN_TIME, UNPLACED } from '../../core/pagination/placement.rows';
import { orderBy } from '../../core/pagination/sort';
import { isUnplaced, type ListBindings, type ListShape, type ListSql } from './list-sql';

/** No index has the status of a message (ADR 37): a list by status reads at most this many messages, those of its range. */
export const READ_AT_MOST = 1_000_000;

/**
 * A list of outbound messages by their status. Failed messages have a table of their own; for another status PostgreSQL reads
 * all messages of the range. The planner sees the values, because the best plan depends on the length of the range.
 */
export function statusList({ status, platform, from, until, order }: ListShape, bindings: ListBindings): ListSql {
  const isFailed = status === 'failed';
  const conditions = [
    `environment = ${bindings.inline('environment', 'environment')}`,
    ...(isFailed ? [] : [`direction = 'outbound'`, `status = ${bindings.inline('status', 'text')}`]),
    ...(platform ? [`platform = ${bindings.inline('platform', 'text')}`] : []),
    ...(isUnplaced(status)
      ? [unplacedWithin({ from, until }, bindings)]
      : [PLACED, ...within('created_at', { from, until }, bindings)]),
  ].join(' AND ');
  const source = isFailed
    ? `SELECT message_id AS id, created_at, platform, 'outbound' AS direction, conversation_id FROM failed_messages WHERE ${conditions}`
    : `SELECT id, ${SHOWN_TIME} AS created_at, platform, direction, conversation_id FROM messages WHERE ${conditions}`;
  const [limit, offset] = [bindings.inline('limit', 'bigint'), bindings.inline('offset', 'bigint')];
  return {
    tables: [],
    total: `SELECT count(*) FROM ${isFailed ? 'failed_messages' : 'messages'} WHERE ${conditions}`,
    page: `SELECT id FROM (${source}) m ORDER BY ${orderBy(order)} LIMIT ${limit} OFFSET ${offset}`,
  };
}

type Ends = Pick<ListShape, 'from' | 'until'>;

/** Earlier versions gave a scheduled message a place at once: an index finds both kinds by their times. */
function unplacedWithin(ends: Ends, bindings: ListBindings): string {
  const placed = [PLACED, ...within('created_at', ends, bindings)];
  const unplaced = [`created_at = ${UNPLACED}`, ...within('accepted_at', ends, bindings)];
  return `(${placed.join(' AND ')} OR ${unplaced.join(' AND ')})`;
}

function within(column: string, { from, until }: Ends, bindings: ListBindings): string[] {
  return [
    ...(from ? [`${column} >= ${bindings.inline('from', 'timestamptz')}`] : []),
    ...(until ? [`${column} < ${bindings.inline('until', 'timestamptz')}`] : []),
  ];
}
