import { PLACED, SHOWN_TIME } from '../../core/pagination/placement.rows';
import { Bindings } from '../../core/database/bindings';
import { statement, type Statement } from '../../core/database/database.service';
import { ISO_TIMES } from '../../core/pagination/iso-times';
import { TOTAL_CAP } from '../../core/pagination/list-page';
import { orderBy, parseSort } from '../../core/pagination/sort';
import { SORTABLE } from '../dto/message-query.dto';
import { isUnplaced } from './list-sql';
import type { MessageList, MessageSelection } from './message-list.rows';

/** Without the index, only so many of the newest messages are searched. */
export const SEARCHED_WITHOUT_INDEX = 10_000;

/** Runs of letters of scripts that do not separate words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}\u30fc]{3,}/gu;

/**
 * Conditions that are true for every text with the words of `q`, and cost a sixth of comparing its words: a search for a frequent
 * beginning of a word reads many messages without it. Other texts than ASCII fold in too many ways.
 */
function beforeWords(q: string, bindings: Bindings): string[] {
  if (Buffer.byteLength(q) > q.length) return [];
  const words = q.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.map(
    (word) =>
      `(octet_length(content) > length(content) OR strpos(lower(content COLLATE "C"), ${bindings.inline(word, 'text')}) > 0)`,
  );
}

/** Whether a text has a word to search for. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/**
 * A list of messages of an account, or with the words of `q`. The planner sees all values: a rare word is found by its index, a frequent one in the
 * newest messages. It counts up to the cap of totals.
 */
export function searchList(
  q: string | undefined,
  { filter, sort, offset, limit, columns }: MessageSelection,
  isIndexed: boolean,
): MessageList {
  const bindings = new Bindings();
  const { environment, platform, account, direction, status, conversationId, from, until } = filter;
  const order = parseSort(sort, SORTABLE);
  const time = isUnplaced(status) ? SHOWN_TIME : 'created_at';
  const runs = q?.match(UNSPACED) ?? [];
  const conditions = [
    `environment = ${bindings.inline(environment, 'environment')}`,
    ...(isUnplaced(status) ? [] : [PLACED]),
    ...(platform ? [`platform = ${bindings.inline(platform, 'text')}`] : []),
    ...(account ? [`account = ${bindings.inline(account, 'text')}`] : []),
    ...(direction ? [`direction = ${bindings.inline(direction, 'text')}`] : []),
    ...(status ? [`direction = 'outbound' AND status = ${bindings.inline(status, 'text')}`] : []),
    ...(conversationId ? [`conversation_id = ${bindings.inline(conversationId, 'uuid')}`] : []),
    ...(from ? [`${time} >= ${bindings.inline(from, 'timestamptz')}`] : []),
    ...(until ? [`${time} < ${bindings.inline(until, 'timestamptz')}`] : []),
  ];
  const words = [
    ...(q === undefined ? [] : beforeWords(q, bindings)),
    ...(q === undefined ? [] : [`message_words(content) @@ message_query(${bindings.inline(q, 'text')})`]),
    // The index has pairs of letters: the text must have them in this order.
    ...runs.map((run) => `strpos(searchable_text(content), searchable_text(${bindings.inline(run, 'text')})) > 0`),
  ];
  const source =
    isIndexed || q === undefined
      ? `messages WHERE ${[...conditions, ...words].join(' AND ')}`
      : `(SELECT * FROM messages WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, id DESC
        LIMIT ${SEARCHED_WITHOUT_INDEX}) newest WHERE ${words.join(' AND ')}`;
  const text = `
    WITH found AS MATERIALIZED (
      SELECT id, ${time} AS created_at, platform, direction, conversation_id FROM ${source}
      ORDER BY ${orderBy(order)} LIMIT ${TOTAL_CAP + 1}
    ),
    page AS (
      SELECT id FROM (SELECT * FROM found ORDER BY ${orderBy(order)} LIMIT ${TOTAL_CAP}) capped ORDER BY ${orderBy(order)}
      LIMIT ${bindings.inline(limit, 'bigint')} OFFSET ${bindings.inline(offset, 'bigint')}
    ),
    item AS (
      SELECT m.* FROM page CROSS JOIN LATERAL (SELECT ${columns} FROM messages WHERE id = page.id LIMIT 1) m
    )
    SELECT total, item.* FROM (SELECT count(*) AS total FROM found) t LEFT JOIN item ON true ORDER BY ${orderBy(order)}`;
  const prepared: Statement = { ...statement('', text), types: ISO_TIMES };
  return { statement: prepared, values: bindings.values };
}
