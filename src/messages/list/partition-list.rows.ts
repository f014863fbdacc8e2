import { DIRECTIONS, PLATFORMS } from '#contracts';
import { partitionSql, type PartitionSql } from '../counts/partition.rows';
import { PLACED } from '../../core/pagination/placement.rows';
import { positionOf } from '../counts/position.rows';
import { createdWithin } from '../../core/pagination/list-statement';
import { orderBy } from '../../core/pagination/sort';
import { isByTime, type ListBindings, type ListShape, type ListSql } from './list-sql';

/** The ends of the range that a filter selects in a partition: SQL of moments, if set. */
interface Range {
  /** Included. */
  from?: string;
  /** Not included. */
  until?: string;
}

/**
 * A list of a partition, whole or between two moments. Its total is the difference of the ends' positions; a page is
 * found from the nearest checkpoint. Neither reads more than the messages between two checkpoints, and those of the last
 * minute, which have no checkpoint yet.
 */
export function partitionList(shape: ListShape, bindings: ListBindings): ListSql {
  const partition = partitionSql(shape, bindings);
  const from = shape.from ? bindings.bind('from', 'timestamptz') : undefined;
  const until = shape.until ? bindings.bind('until', 'timestamptz') : undefined;
  const tables = [
    `upper_end AS (${positionOf(partition, until)})`,
    ...(from ? [`lower_end AS (${positionOf(partition, from)})`] : []),
  ];
  const lower = from ? '(SELECT rank FROM lower_end)' : '0';
  const total = `(SELECT rank FROM upper_end) - ${lower}`;
  if (!isByTime(shape.order)) return { tables, total, page: sortedPage(shape, bindings) };
  const { place, page } = timedPage(partition, { from, until }, lower, shape, bindings);
  return { tables: [...tables, ...place], total, page };
}

/** A page in the order of time. A deep page starts at the nearest checkpoint. */
function timedPage(
  { ranks, firstRows }: PartitionSql,
  { from, until }: Range,
  lower: string,
  { order, depth }: ListShape,
  bindings: ListBindings,
): { place: string[]; page: string } {
  const offsetValue = bindings.bind('offset', 'bigint');
  const descending = order[0]!.descending;
  let [after, before, skip] = [from, until, offsetValue];
  const place: string[] = [];
  if (depth === 'deep') {
    // The position of the page's first message; in descending order, that of the message above it.
    const rank = descending ? `(SELECT rank FROM upper_end) - ${offsetValue}` : `${lower} + ${offsetValue}`;
    const near = descending
      ? `rank >= (SELECT rank FROM place) ORDER BY rank`
      : `rank <= (SELECT rank FROM place) ORDER BY rank DESC`;
    const inside = descending ? (until ? `at < ${until}` : 'true') : from ? `at > ${from}` : 'true';
    place.push(
      `place AS (SELECT ${rank} AS rank)`,
      `near AS (SELECT at, rank FROM message_ranks WHERE ${ranks} AND ${near} LIMIT 1)`,
      `start AS (SELECT at, abs(near.rank - place.rank) AS skip FROM near, place WHERE ${inside})`,
    );
    if (descending) before = `coalesce((SELECT at FROM start), ${until ?? `'infinity'`})`;
    else after = `coalesce((SELECT at FROM start), ${from ?? `'-infinity'`})`;
    skip = `coalesce((SELECT skip FROM start), ${offsetValue})`;
  }
  const range = [...(after ? [`created_at >= ${after}`] : []), ...(before ? [`created_at < ${before}`] : [])];
  const limitValue = bindings.bind('limit', 'bigint');
  const first = firstRows(range.join(' AND ') || 'true', orderBy(order), `${limitValue} + ${skip}`);
  const page = `SELECT id FROM (${first}) m ORDER BY ${orderBy(order)} LIMIT ${limitValue} OFFSET ${skip}`;
  return { place, page };
}

/**
 * A page in any other order: PostgreSQL reads the rows before it, and sorts them if no index has that order. Sorts by platform
 * or direction merge one subquery for each platform and direction. The planner sees the values, because the best plan for a
 * first page is not the best for a far one.
 */
function sortedPage({ platform, direction, from, until, order }: ListShape, bindings: ListBindings): string {
  const conditions = [
    `environment = ${bindings.inline('environment', 'environment')}`,
    PLACED,
    ...createdWithin({ from: from ? 'from' : undefined, until: until ? 'until' : undefined }, bindings),
  ];
  const first = bindings.inline('end', 'bigint');
  const inPart = order.filter(({ column }) => column !== 'platform' && column !== 'direction');
  const isSorted = (column: string) => order.some((field) => field.column === column);
  const platforms = platform || !isSorted('platform') ? [platform] : PLATFORMS;
  const directions = direction || !isSorted('direction') ? [direction] : DIRECTIONS;
  const parts = platforms.flatMap((one) =>
    directions.map((way) => {
      const own = [...(one ? [`platform = '${one}'`] : []), ...(way ? [`direction = '${way}'`] : [])];
      return `(SELECT id, platform, direction, conversation_id, created_at FROM messages
        WHERE ${[...conditions, ...own].join(' AND ')} ORDER BY ${orderBy(inPart)} LIMIT ${first})`;
    }),
  );
  return `SELECT id FROM (${parts.join(' UNION ALL ')}) parts
    ORDER BY ${orderBy(order)} LIMIT ${bindings.inline('limit', 'bigint')} OFFSET ${bindings.inline('offset', 'bigint')}`;
}
