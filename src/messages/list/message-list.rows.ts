import { LRUCache } from 'lru-cache';
import { Bindings } from '../../core/database/bindings';
import type { Statement } from '../../core/database/database.service';
import { listStatement } from '../../core/pagination/list-statement';
import { orderBy, parseSort } from '../../core/pagination/sort';
import { SORTABLE } from '../dto/message-query.dto';
import { conversationList } from './conversation-list.rows';
import type { ListBindings, ListShape, ListSql, ListValues, MessageFilter } from './list-sql';
import { partitionList } from './partition-list.rows';
import { statusList } from './status-list.rows';
import { CHECKPOINT_DISTANCE } from '../counts/position-checkpoints.rows';

/** Number of statements that are kept: more than clients need, unless they try every sort. */
const KEPT = 500;

export interface MessageSelection {
  filter: MessageFilter;
  /** Validated. */
  sort: string;
  offset: number;
  limit: number;
  /** SQL of the columns that a list shows. */
  columns: string;
}

export interface MessageList {
  statement: Statement;
  values: unknown[];
}

/** Without its values. */
interface Kept extends Omit<MessageList, 'values'> {
  names: readonly (keyof ListValues)[];
}

const kept = new LRUCache<string, Kept>({ max: KEPT });

/**
 * Reads page and total in one statement, so in one snapshot: they agree. A row without an id carries the total alone. The
 * statement is cached: to compose it and to hash it for its name takes ten times as long as to look it up.
 */
export function messageList({ filter, sort, offset, limit, columns }: MessageSelection): MessageList {
  const { platform, direction, status } = filter;
  const conversationId = filter.conversationId !== undefined;
  const [from, until] = [filter.from !== undefined, filter.until !== undefined];
  const depth = offset === 0 ? 'first' : offset < CHECKPOINT_DISTANCE ? 'near' : 'deep';
  const key = `${columns} ${sort} ${depth} ${platform} ${direction} ${status} ${conversationId} ${from} ${until}`;
  let list = kept.get(key);
  if (!list) {
    const order = parseSort(sort, SORTABLE);
    list = compose({ platform, direction, status, conversationId, from, until, order, depth }, columns);
    kept.set(key, list);
  }
  const { statement: prepared, names } = list;
  const all: ListValues = { ...filter, offset, limit, end: offset + limit };
  return { statement: prepared, values: names.map((name) => all[name]) };
}

function listOf({ conversationId, status }: ListShape): (shape: ListShape, bindings: ListBindings) => ListSql {
  if (conversationId) return conversationList;
  return status ? statusList : partitionList;
}

function compose(shape: ListShape, columns: string): Kept {
  const bindings = new Bindings<keyof ListValues>();
  const { tables, total, page } = listOf(shape)(shape, bindings);
  // Only the rows shown are read from the table; the rows before them are skipped in an index. LIMIT 1 keeps the
  // planner, which cannot know how long a page is, from joining the whole table.
  const text = `
    WITH ${[bindings.given, ...tables, `page AS (${page})`].join(',\n')},
    item AS (
      SELECT m.* FROM page CROSS JOIN LATERAL (
        SELECT ${columns} FROM messages WHERE id = page.id LIMIT 1
      ) m
    )
    SELECT total, item.* FROM (SELECT (${total})::bigint AS total) t LEFT JOIN item ON true
    ORDER BY ${orderBy(shape.order)}`;
  return {
    statement: listStatement('messages-list', text, shape.order),
    names: bindings.values,
  };
}
