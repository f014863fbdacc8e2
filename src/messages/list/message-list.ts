import { Bindings } from '../../core/database/bindings';
import type { Slice } from '../../core/pagination/list-page';
import { orderBy } from '../../core/pagination/sort';
import { conversationList } from './conversation-list';
import type { MessageFilter } from './list-sql';
import { partitionList } from './partition-list';

/** Of an item of the list. */
export const ITEM_COLUMNS = 'id, conversation_id, platform, direction, content, created_at';

/** Reads page and total in one statement, so in one snapshot: they agree. A row without an id carries the total alone. */
export function messageList(
  filter: MessageFilter,
  slice: Slice,
  columns = ITEM_COLUMNS,
): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const { tables, total, page } = filter.conversationId
    ? conversationList(filter, filter.conversationId, slice, bindings)
    : partitionList(filter, slice, bindings);
  // Only the rows shown are read from the table; what comes before them is skipped in an index. LIMIT 1 keeps the
  // planner, which cannot know how long a page is, from joining the whole table.
  const text = `
    WITH ${[bindings.given, ...tables, `page AS (${page})`].join(',\n')},
    item AS (
      SELECT m.* FROM page CROSS JOIN LATERAL (
        SELECT ${columns} FROM messages WHERE id = page.id LIMIT 1
      ) m
    )
    SELECT total, item.* FROM (SELECT (${total})::bigint AS total) t LEFT JOIN item ON true
    ORDER BY ${orderBy(slice.order)}`;
  return { text, values: bindings.values };
}
