import type { ConversationStatus, Environment, Handling, Platform } from '#contracts';
import { PLACED, UNPLACED } from '../../core/pagination/placement.rows';
import { Bindings } from '../../core/database/bindings';
import { TOTAL_CAP, type Slice } from '../../core/pagination/list-page';
import type { TimeRange } from '../../core/pagination/list-query.dto';
import { createdWithin } from '../../core/pagination/list-statement';
import { orderBy, type SortField } from '../../core/pagination/sort';
import { isUnanswered, LAST_ERROR } from './unanswered.rows';

/** Characters of a message's text that a list shows. */
const LAST_MESSAGE = `SELECT json_build_object('id', m.id, 'direction', m.direction, 'status', m.status,
    'content', left(m.content, 200))
  FROM messages m WHERE m.conversation_id = page.id AND m.${PLACED} ORDER BY m.created_at DESC, m.id DESC LIMIT 1`;

/** Messages among which the newest one of the person is searched. */
const NEWEST = 50;
const LAST_INBOUND = `SELECT json_build_object('id', m.id, 'content', left(m.content, 200)) FROM (
    SELECT id, direction, content, created_at FROM messages n WHERE n.conversation_id = page.id AND n.${PLACED}
    ORDER BY n.created_at DESC, n.id DESC LIMIT ${NEWEST}
  ) m WHERE m.direction = 'inbound' ORDER BY m.created_at DESC, m.id DESC LIMIT 1`;

const NEXT_SEND_AT = `SELECT min(m.send_at) FROM messages m
  WHERE m.conversation_id = page.id AND m.created_at = ${UNPLACED} AND m.status = 'scheduled'`;

const LAST_COLUMNS = `, (${LAST_MESSAGE}) AS last_message, (${LAST_INBOUND}) AS last_inbound,
  (${NEXT_SEND_AT}) AS next_send_at`;

export interface ConversationFilter extends TimeRange {
  environment: Environment;
  platform?: Platform;
  /** Key of an account of `platform`. */
  account?: string;
  status?: ConversationStatus;
  handling?: Handling;
  /** A pattern that one of the participant's names matches. */
  search?: string;
  label?: string;
  unanswered?: boolean;
}

/**
 * The conversations of a page, and how many the filter selects, in one statement: both come from one snapshot, so they agree. A
 * row without an id contains only the total. The statement skips earlier rows in an index; it reads only the shown rows from
 * the table. The planner sees the values: platforms differ in size, and archived conversations have an index of their own.
 * @param columns of a conversation, to be shown; of a row of `conversations`, or of its handover
 * @param withLastMessage whether to add the newest messages, and the next time of a scheduled one: index look-ups for each row
 */
export function conversationPage(
  filter: ConversationFilter,
  { order, offset, limit }: Slice,
  columns: string,
  withLastMessage = false,
): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const match = matchOf(filter, bindings);
  const capped = [
    ...accountOf(filter, bindings),
    ...namesOf(filter, bindings),
    ...labelOf(filter, bindings),
    ...unansweredOf(filter, bindings),
  ];
  const conditions = [...match, ...capped, ...createdWithin(filter, bindings)].join(' AND ');
  const rows = `FROM conversations WHERE ${conditions}`;
  const total =
    capped.length > 0
      ? `SELECT count(*) FROM (SELECT ${rows} LIMIT ${TOTAL_CAP + 1}) counted`
      : `SELECT count(*) ${rows}`;
  const [limitValue, offsetValue] = [bindings.inline(limit, 'bigint'), bindings.inline(offset, 'bigint')];
  const page = `SELECT id ${rows} ORDER BY ${orderBy(bySlot(order))} LIMIT ${limitValue} OFFSET ${offsetValue}`;
  const text = `
    WITH counted AS (SELECT (${total})::bigint AS total), page AS (${page}),
    item AS (SELECT c.* FROM page CROSS JOIN LATERAL (
      SELECT ${columns}${withLastMessage ? LAST_COLUMNS : ''}
      FROM conversations LEFT JOIN handovers ON conversation_id = id LEFT JOIN ${LAST_ERROR} failed ON true
      WHERE id = page.id LIMIT 1
    ) c)
    SELECT total, item.* FROM counted LEFT JOIN item ON true ORDER BY ${orderBy(order)}`;
  return { text, values: bindings.values };
}

function matchOf({ environment, platform, status, handling }: ConversationFilter, bindings: Bindings): string[] {
  return [
    `environment = ${bindings.inline(environment, 'environment')}`,
    ...(platform ? [`platform = ${bindings.inline(platform, 'text')}`] : []),
    // One of two words: as a literal, PostgreSQL can compare it with the condition of an index.
    ...(status ? [`status = '${status}'`] : []),
    ...(handling ? [`handling = '${handling}'`] : []),
  ];
}

function accountOf({ account }: ConversationFilter, bindings: Bindings): string[] {
  return account === undefined ? [] : [`account = ${bindings.inline(account, 'text')}`];
}

function namesOf({ environment, search }: ConversationFilter, bindings: Bindings): string[] {
  if (search === undefined) return [];
  const found = `SELECT conversation_id FROM conversation_terms
    WHERE environment = ${bindings.inline(environment, 'environment')}
      AND term LIKE fold_text(${bindings.inline(search, 'text')})`;
  return [`id IN (${found})`];
}

function labelOf({ label }: ConversationFilter, bindings: Bindings): string[] {
  // The second condition is that of the index.
  return label === undefined ? [] : [`labels @> ARRAY[${bindings.inline(label, 'text')}]`, `labels <> '{}'`];
}

function unansweredOf({ environment, unanswered }: ConversationFilter, bindings: Bindings): string[] {
  if (unanswered === undefined) return [];
  const task = `SELECT FROM reply_tasks task WHERE task.conversation_id = conversations.id
    AND task.environment = ${bindings.inline(environment, 'environment')} AND ${isUnanswered('task', 'conversations')}`;
  return [`${unanswered ? '' : 'NOT '}EXISTS (${task})`];
}

/** The slot of the last message orders like its time, and has an index. */
function bySlot(order: readonly SortField[]): SortField[] {
  return order.flatMap((field) =>
    field.column === 'last_message_at' ? [{ ...field, column: 'last_message_slot' }, field] : [field],
  );
}
