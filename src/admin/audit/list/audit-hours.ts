import type { EntityManager } from 'typeorm';
import { conditionsOf, facetsOf, filtersOf, HOUR_MS, ownersOf, Values, type AuditSelection } from './audit-selection';

/** A range within one hour that has matching entries. */
interface Stretch {
  from: Date;
  until: Date;
}

/** Where the entries of a page are. */
export interface Placement {
  /** Entries on all pages. */
  total: number;
  stretches: Stretch[];
  /** Matching entries of the first stretch that belong to earlier pages. */
  skipped: number;
}

interface PlacedRow {
  total: string;
  start: Date | null;
  before: string | null;
}

/**
 * Finds the hours that hold a page from the hourly totals, without reading earlier pages. If the range begins or ends
 * inside an hour, counts the entries in that part of the hour.
 */
export async function placeOf(
  manager: EntityManager,
  selection: AuditSelection,
  { offset, limit }: { offset: number; limit: number },
): Promise<Placement> {
  const { whole, cut } = divide(selection);
  const values = new Values();
  const counts: number[] = [];
  for (const stretch of cut) counts.push(await countOf(manager, selection, stretch));
  const inWhole = [
    `owner = ANY (${values.add(ownersOf(selection))})`,
    ...(whole.from ? [`hour >= ${values.add(whole.from)}`] : []),
    ...(whole.until ? [`hour < ${values.add(whole.until)}`] : []),
  ];
  const { methods } = selection;
  const isMethod = methods ? [`method = ANY (${values.add(methods)})`] : [];
  const counted = [...inWhole, `facet = ANY (${values.add(facetsOf(selection))})`].join(' AND ');
  const changed = [...inWhole, ...filtersOf(selection, values), ...isMethod].join(' AND ');
  const rows = await manager.query<PlacedRow[]>(
    `WITH hours AS (
       SELECT hour AS start, sum(count)::bigint AS n FROM (
         SELECT hour, count FROM audit_log_counts WHERE ${counted}
         UNION ALL SELECT hour, change FROM audit_log_count_changes WHERE ${changed}
       ) kept
       GROUP BY hour HAVING sum(count) > 0
       UNION ALL
       SELECT start, n FROM unnest(${values.add(cut.map(({ from }) => from))}::timestamptz[], ${values.add(counts)}::bigint[])
         AS cut(start, n) WHERE n > 0
     ), placed AS (
       SELECT start, n, sum(n) OVER (ORDER BY start ${selection.isDescending ? 'DESC' : 'ASC'}) - n AS before FROM hours
     )
     SELECT total, start, before FROM (SELECT coalesce(sum(n), 0) AS total FROM hours) counted
     LEFT JOIN placed ON before + n > ${values.add(offset)}::bigint AND before < ${values.add(offset + limit)}::bigint
     ORDER BY before`,
    values.list,
  );
  const starts = rows.flatMap(({ start }) => start ?? []);
  return {
    total: Number(rows[0]!.total),
    stretches: starts.map((from) => ({ from, until: earlier(hourAfter(from), selection.until) })),
    skipped: offset - Number(rows[0]!.before ?? offset),
  };
}

/** Divides a range into its whole hours and its partial hours at either end. */
function divide({ from, until }: AuditSelection): { whole: { from?: Date; until?: Date }; cut: Stretch[] } {
  const first = from && (isWhole(from) ? from : hourAfter(from));
  const last = until && hourOf(until);
  const cut: Stretch[] = [];
  if (from && first! > from) cut.push({ from, until: earlier(first!, until) });
  if (until && last! < until && (!first || last! >= first)) cut.push({ from: last!, until });
  return { whole: { from: first, until: last }, cut };
}

async function countOf(manager: EntityManager, selection: AuditSelection, { from, until }: Stretch): Promise<number> {
  const values = new Values();
  const within = `created_at >= ${values.add(from)} AND created_at < ${values.add(until)}`;
  const parts = conditionsOf(selection, values).map(
    (where) => `(SELECT count(*) FROM audit_log WHERE ${where} AND ${within})`,
  );
  const [row] = await manager.query<{ n: string }[]>(`SELECT ${parts.join(' + ')} AS n`, values.list);
  return Number(row!.n);
}

function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

function hourAfter(time: Date): Date {
  return new Date(hourOf(time).getTime() + HOUR_MS);
}

function isWhole(time: Date): boolean {
  return time.getTime() % HOUR_MS === 0;
}

function earlier(time: Date, other: Date | undefined): Date {
  return other && other < time ? other : time;
}
