import { PLACED, SHOWN_TIME } from '../../core/pagination/placement.rows';
import { pageFromNearerEnd } from '../../core/pagination/page-from-nearer-end.rows';
import { orderBy } from '../../core/pagination/sort';
import { isByTime, isUnplaced, type ListBindings, type ListShape, type ListSql } from './list-sql';

/**
 * A list of one conversation's messages. Without a filter, the conversation's row has the total; with one, the statement
 * counts them by index. A page is read from the nearer end of the conversation.
 */
export function conversationList(
  { platform, direction, status, from, until, order, depth }: ListShape,
  bindings: ListBindings,
): ListSql {
  // The environment is checked on the conversation's row, so that the messages are read from an index alone.
  const conversation = `SELECT id, message_count FROM conversations
    WHERE id = ${bindings.bind('conversationId', 'uuid')} AND environment = ${bindings.bind('environment', 'environment')}`;
  const filters = [
    ...(platform ? [`platform = ${bindings.bind('platform', 'text')}`] : []),
    ...(direction ? [`direction = ${bindings.bind('direction', 'text')}`] : []),
    ...(status ? [`status = ${bindings.bind('status', 'text')}`] : []),
    ...(from ? [`created_at >= ${bindings.bind('from', 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.bind('until', 'timestamptz')}`] : []),
  ];
  const own = 'conversation_id = (SELECT id FROM conversation)';
  const shown = `SELECT id, conversation_id, platform, direction, status, ${SHOWN_TIME} AS created_at FROM messages WHERE ${own}`;
  const rows = isUnplaced(status)
    ? `FROM (${shown}) m WHERE ${filters.join(' AND ')}`
    : `FROM messages WHERE ${[own, PLACED, ...filters].join(' AND ')}`;
  const count =
    filters.length > 0 ? `SELECT count(*) ${rows}` : 'SELECT coalesce((SELECT message_count FROM conversation), 0)';
  const [limitValue, offsetValue] = [bindings.bind('limit', 'bigint'), bindings.bind('offset', 'bigint')];
  const tables = [`conversation AS (${conversation})`, `counted AS (SELECT (${count})::bigint AS total)`];
  const total = 'SELECT total FROM counted';
  if (depth === 'first' || !isByTime(order) || isUnplaced(status)) {
    const page = `SELECT id ${rows} ORDER BY ${orderBy(order)} LIMIT ${limitValue} OFFSET ${offsetValue}`;
    return { tables, total, page };
  }
  const { place, page } = pageFromNearerEnd({ rows, order, limit: limitValue, offset: offsetValue });
  return { tables: [...tables, ...place], total, page };
}
