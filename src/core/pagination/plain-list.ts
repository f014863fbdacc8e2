import type { Bindings } from '../database/bindings';
import type { Statement } from '../database/database.service';
import { timeRange, type DatedListQuery } from './list-query.dto';
import { listStatement } from './list-statement';
import { orderBy, type SortField } from './sort';

/** SQL conditions of a list that can be cut by time. */
export function createdWithin(query: DatedListQuery, bindings: Bindings): string[] {
  const { from, until } = timeRange(query);
  return [
    ...(from ? [`created_at >= ${bindings.inSight(from, 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.inSight(until, 'timestamptz')}`] : []),
  ];
}

export interface PlainList {
  /** Of the statement, before its text's own. */
  name: string;
  table: string;
  /** SQL, `id` among them. */
  columns: string;
  /** SQL that each row meets. */
  conditions: readonly string[];
  order: readonly SortField[];
  query: { page: number; per_page: number };
}

/** The statement of a list that is counted row by row; its rows are what `pageOf` takes. */
export function plainList(
  { name, table, columns, conditions, order, query }: PlainList,
  bindings: Bindings,
): Statement {
  const rows = `FROM ${table} WHERE ${conditions.join(' AND ')}`;
  const limit = bindings.inSight(query.per_page, 'bigint');
  const offset = bindings.inSight((query.page - 1) * query.per_page, 'bigint');
  // One snapshot for page and total: they agree.
  const text = `SELECT counted.total, page.* FROM (SELECT count(*)::int AS total ${rows}) counted
    LEFT JOIN (SELECT ${columns} ${rows} ORDER BY ${orderBy(order)} LIMIT ${limit} OFFSET ${offset}) page ON true
    ORDER BY ${orderBy(order)}`;
  return listStatement(name, text, order);
}
