import type { ConversationStatus, Environment, Handling, Platform } from '#contracts';
import { Bindings } from '../core/database/bindings';
import type { Slice } from '../core/pagination/list-page';
import type { TimeRange } from '../core/pagination/list-query.dto';
import { createdWithin } from '../core/pagination/list-statement';
import { pageFromNearerEnd } from '../core/pagination/page-from-nearer-end.rows';
import { orderBy, type SortField } from '../core/pagination/sort';

const HOUR_MS = 3_600_000;

/** Characters of a message's text that a list shows. */
const LAST_MESSAGE = `SELECT json_build_object('id', m.id, 'direction', m.direction, 'status', m.status,
    'content', left(m.content, 200))
  FROM messages m WHERE m.conversation_id = page.id ORDER BY m.created_at DESC, m.id DESC LIMIT 1`;

export interface ConversationFilter extends TimeRange {
  environment: Environment;
  platform?: Platform;
  status?: ConversationStatus;
  handling?: Handling;
  /** A pattern that one of the participant's names matches. */
  search?: string;
}

/**
 * The conversations of a page, and how many the filter selects, in one statement: both come from one snapshot, so they agree. A
 * row without an id contains only the total. The statement skips earlier rows in an index, from the nearer end of the list;
 * it reads only the shown rows from the table. The planner sees the values: platforms differ in size, and archived
 * conversations have an index of their own.
 * @param columns of a conversation, to be shown; of a row of `conversations`, or of its handover
 * @param withLastMessage whether to add `last_message`, the newest message: one index look-up for each row
 */
export function conversationPage(
  filter: ConversationFilter,
  { order, offset, limit }: Slice,
  columns: string,
  withLastMessage = false,
): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const match = matchOf(filter, bindings);
  const names = namesOf(filter, bindings);
  const handled = filter.handling ? [`handling = '${filter.handling}'`] : [];
  const from = (conditions: readonly string[]) =>
    `FROM conversations WHERE ${[...match, ...createdWithin(filter, bindings), ...conditions].join(' AND ')}`;
  const rows = from([...names, ...handled]);
  // A person has few of the conversations: a partial index contains only those.
  const others = () => ` - (SELECT count(*) ${from([`handling <> 'assistant'`])})`;
  const isStored = names.length === 0 && (filter.handling === undefined || filter.handling === 'assistant');
  const total = isStored
    ? `${totalOf(match.join(' AND '), filter, bindings)}${filter.handling ? others() : ''}`
    : `SELECT count(*) ${rows}`;
  const limitValue = bindings.inSight(limit, 'bigint');
  const indexed = bySlot(order);
  const { place, page } =
    offset === 0
      ? { place: [], page: `SELECT id ${rows} ORDER BY ${orderBy(indexed)} LIMIT ${limitValue}` }
      : pageFromNearerEnd({ rows, order: indexed, limit: limitValue, offset: bindings.inSight(offset, 'bigint') });
  const text = `
    WITH ${[`counted AS (SELECT (${total})::bigint AS total)`, ...place, `page AS (${page})`].join(',\n')},
    item AS (SELECT c.* FROM page CROSS JOIN LATERAL (
      SELECT ${columns}${withLastMessage ? `, (${LAST_MESSAGE}) AS last_message` : ''}
      FROM conversations LEFT JOIN handovers ON conversation_id = id WHERE id = page.id LIMIT 1
    ) c)
    SELECT total, item.* FROM counted LEFT JOIN item ON true ORDER BY ${orderBy(order)}`;
  return { text, values: bindings.values };
}

function matchOf({ environment, platform, status }: ConversationFilter, bindings: Bindings): string[] {
  return [
    `environment = ${bindings.inSight(environment, 'environment')}`,
    ...(platform ? [`platform = ${bindings.inSight(platform, 'text')}`] : []),
    // One of two words: as a literal, PostgreSQL can compare it with the condition of an index.
    ...(status ? [`status = '${status}'`] : []),
  ];
}

function namesOf({ environment, search }: ConversationFilter, bindings: Bindings): string[] {
  if (search === undefined) return [];
  const found = `SELECT conversation_id FROM conversation_terms
    WHERE environment = ${bindings.inSight(environment, 'environment')}
      AND term LIKE fold_text(${bindings.inSight(search, 'text')})`;
  return [`id IN (${found})`];
}

/** The slot of the last message orders like its time, and has an index. */
function bySlot(order: readonly SortField[]): SortField[] {
  return order.flatMap((field) =>
    field.column === 'last_message_at' ? [{ ...field, column: 'last_message_slot' }, field] : [field],
  );
}

/** SQL of a count. Counts of whole hours are stored; the statement counts rows only in the hours that the range cuts. */
function totalOf(match: string, { from, until }: TimeRange, bindings: Bindings): string {
  // One stored count covers all hours.
  if (!from && !until) return stored(match, `hour = '-infinity'`, 'true');
  const first = from && new Date(Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS);
  const last = until && new Date(Math.floor(until.getTime() / HOUR_MS) * HOUR_MS);
  const counted = (range: TimeRange) =>
    `(SELECT count(*) FROM conversations WHERE ${[match, ...createdWithin(range, bindings)].join(' AND ')})`;
  if (first && last && first >= last) return counted({ from, until });
  const hours = [
    `hour > '-infinity'`,
    ...(first ? [`hour >= ${bindings.inSight(first, 'timestamptz')}`] : []),
    ...(last ? [`hour < ${bindings.inSight(last, 'timestamptz')}`] : []),
  ].join(' AND ');
  const cut = [...(from ? [counted({ from, until: first })] : []), ...(until ? [counted({ from: last, until })] : [])];
  return [stored(match, hours, hours), ...cut].join(' + ');
}

function stored(match: string, hours: string, changedHours: string): string {
  return `coalesce((SELECT sum(count) FROM conversation_counts WHERE ${match} AND ${hours}), 0)
    + coalesce((SELECT sum(change) FROM conversation_count_changes WHERE ${match} AND ${changedHours}), 0)`;
}
