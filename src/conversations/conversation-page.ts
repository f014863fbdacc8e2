import type { ConversationStatus, Environment, Platform } from '#contracts';
import { Bindings } from '../core/database/bindings';
import type { Slice } from '../core/pagination/list-page';
import type { TimeRange } from '../core/pagination/list-query.dto';
import { createdWithin } from '../core/pagination/list-statement';
import { pageFromNearerEnd } from '../core/pagination/page-from-nearer-end';
import { orderBy } from '../core/pagination/sort';

const HOUR_MS = 3_600_000;

export interface ConversationFilter extends TimeRange {
  environment: Environment;
  platform?: Platform;
  status?: ConversationStatus;
}

/**
 * Page and total in one statement, and so of one snapshot: they agree. Rows without an id carry the total alone. What
 * comes before a page is skipped in an index, from the end of the list that is nearer; only what is shown is read from
 * the table. The planner sees the values: few platforms are alike, and archived conversations have an index of their own.
 * @param columns of a conversation, to be shown
 */
export function conversationPage(
  filter: ConversationFilter,
  { order, offset, limit }: Slice,
  columns: string,
): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const { environment, platform, status, from, until } = filter;
  const match = [
    `environment = ${bindings.inSight(environment, 'environment')}`,
    ...(platform ? [`platform = ${bindings.inSight(platform, 'text')}`] : []),
    // A word of two: as a literal it can be compared with the condition of an index.
    ...(status ? [`status = '${status}'`] : []),
  ];
  const range = createdWithin({ from, until }, bindings);
  const rows = `FROM conversations WHERE ${[...match, ...range].join(' AND ')}`;
  const limitValue = bindings.inSight(limit, 'bigint');
  const { place, page } =
    offset === 0
      ? { place: [], page: `SELECT id ${rows} ORDER BY ${orderBy(order)} LIMIT ${limitValue}` }
      : pageFromNearerEnd({ rows, order, limit: limitValue, offset: bindings.inSight(offset, 'bigint') });
  const counted = `counted AS (SELECT (${total(match.join(' AND '), { from, until }, bindings)})::bigint AS total)`;
  const text = `
    WITH ${[counted, ...place, `page AS (${page})`].join(',\n')},
    item AS (SELECT c.* FROM page CROSS JOIN LATERAL (SELECT ${columns} FROM conversations WHERE id = page.id LIMIT 1) c)
    SELECT total, item.* FROM counted LEFT JOIN item ON true ORDER BY ${orderBy(order)}`;
  return { text, values: bindings.values };
}

/** Whole hours are kept as counts; only hours that the range cuts are counted. */
function total(match: string, { from, until }: TimeRange, bindings: Bindings): string {
  if (!from && !until) return kept(match, `hour = '-infinity'`, 'true');
  const first = from && new Date(Math.ceil(from.getTime() / HOUR_MS) * HOUR_MS);
  const last = until && new Date(Math.floor(until.getTime() / HOUR_MS) * HOUR_MS);
  const counted = (start: Date, end: Date) =>
    `(SELECT count(*) FROM conversations WHERE ${[match, ...createdWithin({ from: start, until: end }, bindings)].join(' AND ')})`;
  if (from && until && first! >= last!) return counted(from, until);
  const hours = [
    `hour > '-infinity'`,
    ...(first ? [`hour >= ${bindings.inSight(first, 'timestamptz')}`] : []),
    ...(last ? [`hour < ${bindings.inSight(last, 'timestamptz')}`] : []),
  ].join(' AND ');
  const cut = [...(from ? [counted(from, first!)] : []), ...(until ? [counted(last!, until)] : [])];
  return [kept(match, hours, hours), ...cut].join(' + ');
}

function kept(match: string, hours: string, changedHours: string): string {
  return `coalesce((SELECT sum(count) FROM conversation_counts WHERE ${match} AND ${hours}), 0)
    + coalesce((SELECT sum(change) FROM conversation_count_changes WHERE ${match} AND ${changedHours}), 0)`;
}
