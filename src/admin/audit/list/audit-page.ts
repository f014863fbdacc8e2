import type { EntityManager } from 'typeorm';
import { placeOf } from './audit-hours';
import { conditionsOf, Values, type AuditSelection } from './audit-selection';

/** The ids of a page in order, and the total. */
export interface AuditPage {
  ids: string[];
  total: number;
}

interface Slice {
  offset: number;
  limit: number;
}

/** Reads only the hours that hold the page, each through an index and only up to the end of the page. */
export async function readPage(manager: EntityManager, selection: AuditSelection, slice: Slice): Promise<AuditPage> {
  const { total, stretches, skipped } = await placeOf(manager, selection, slice);
  if (stretches.length === 0) return { ids: [], total };
  const values = new Values();
  const order = orderOf(selection);
  const most = values.add(skipped + slice.limit);
  const parts = conditionsOf(selection, values).map(
    (where) => `(SELECT id, created_at FROM audit_log
       WHERE ${where} AND created_at >= stretch.start AND created_at < stretch.finish ORDER BY ${order} LIMIT ${most})`,
  );
  const rows = await manager.query<{ id: string }[]>(
    `SELECT entry.id FROM unnest(${values.add(stretches.map(({ from }) => from))}::timestamptz[],
       ${values.add(stretches.map(({ until }) => until))}::timestamptz[]) AS stretch(start, finish)
     CROSS JOIN LATERAL (${parts.join(' UNION ALL ')}) entry
     ORDER BY ${order} LIMIT ${values.add(slice.limit)} OFFSET ${values.add(skipped)}`,
    values.list,
  );
  return { ids: rows.map(({ id }) => id), total };
}

/** Entries of an exact path or a request: one scan finds both the page and the total. */
export async function scan(manager: EntityManager, selection: AuditSelection, slice: Slice): Promise<AuditPage> {
  const values = new Values();
  const { from = '-infinity', until = 'infinity' } = selection;
  const within = `created_at >= ${values.add(from)} AND created_at < ${values.add(until)}`;
  const parts = conditionsOf(selection, values).map(
    (where) => `SELECT id, created_at FROM audit_log WHERE ${where} AND ${within}`,
  );
  const [row] = await manager.query<{ total: string; ids: string[] }[]>(
    `WITH found AS MATERIALIZED (${parts.join(' UNION ALL ')})
     SELECT (SELECT count(*) FROM found) AS total,
       ARRAY(SELECT id FROM found ORDER BY ${orderOf(selection)} LIMIT ${values.add(slice.limit)} OFFSET ${values.add(slice.offset)}) AS ids`,
    values.list,
  );
  return { ids: row!.ids, total: Number(row!.total) };
}

function orderOf({ isDescending }: AuditSelection): string {
  return isDescending ? 'created_at DESC, id DESC' : 'created_at, id';
}
