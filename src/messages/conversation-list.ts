import type { Bindings } from '../core/database/bindings';
import { orderBy } from '../core/http/sort';
import { isByTime, type ListSql, type MessageFilter, type Slice } from './list-sql';

/**
 * A list of one conversation's messages. Unfiltered, their number is known from its row; else they are counted by its
 * index. A page is read from the end of the conversation that is nearer to it.
 */
export function conversationList(
  { environment, platform, direction, from, until }: MessageFilter,
  conversationId: string,
  { order, offset, limit }: Slice,
  bindings: Bindings,
): ListSql {
  // The environment is the conversation's: so nothing but the index has to be read for its messages.
  const conversation = `SELECT id, message_count FROM conversations
    WHERE id = ${bindings.bind(conversationId, 'uuid')} AND environment = ${bindings.bind(environment, 'environment')}`;
  const filters = [
    ...(platform ? [`platform = ${bindings.bind(platform, 'text')}`] : []),
    ...(direction ? [`direction = ${bindings.bind(direction, 'text')}`] : []),
    ...(from ? [`created_at >= ${bindings.bind(from, 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.bind(until, 'timestamptz')}`] : []),
  ];
  const rows = `FROM messages WHERE ${['conversation_id = (SELECT id FROM conversation)', ...filters].join(' AND ')}`;
  const count =
    filters.length > 0 ? `SELECT count(*) ${rows}` : 'SELECT coalesce((SELECT message_count FROM conversation), 0)';
  const [limitValue, offsetValue] = [bindings.bind(limit, 'bigint'), bindings.bind(offset, 'bigint')];
  const tables = [`conversation AS (${conversation})`, `counted AS (SELECT (${count})::bigint AS total)`];
  const total = 'SELECT total FROM counted';
  const forward = `SELECT id ${rows} ORDER BY ${orderBy(order)}`;
  if (offset === 0 || !isByTime(order)) {
    return { tables, total, page: `${forward} LIMIT ${limitValue} OFFSET ${offsetValue}` };
  }
  const backward = `SELECT id ${rows} ORDER BY ${orderBy(order.map(({ column, descending }) => ({ column, descending: !descending })))}`;
  return {
    tables: [
      ...tables,
      `place AS (SELECT total - ${offsetValue} AS rest, ${offsetValue} <= total / 2 AS in_first_half FROM counted)`,
    ],
    total,
    // Of the two, one has LIMIT 0 and is not run.
    page: `(${forward} LIMIT (SELECT CASE WHEN in_first_half THEN ${limitValue} ELSE 0 END FROM place) OFFSET ${offsetValue})
      UNION ALL
      (${backward} LIMIT (SELECT CASE WHEN in_first_half THEN 0 ELSE greatest(0, least(${limitValue}, rest)) END FROM place)
        OFFSET (SELECT greatest(0, rest - ${limitValue}) FROM place))`,
  };
}
