import type { Bindings } from '../database/bindings';
import type { Statement } from '../database/database.service';
import type { Slice } from './list-page';
import { listStatement } from './list-statement';
import { orderBy } from './sort';

export interface PlainList {
  /** Of the statement, before its text's own. */
  name: string;
  table: string;
  /** SQL, `id` among them. */
  columns: string;
  /** SQL that each row meets. */
  conditions: readonly string[];
  slice: Slice;
}

/** The statement of a list that is counted row by row; its rows are what `pageOf` takes. */
export function plainList({ name, table, columns, conditions, slice }: PlainList, bindings: Bindings): Statement {
  const rows = `FROM ${table} WHERE ${conditions.join(' AND ')}`;
  const order = orderBy(slice.order);
  const limit = bindings.inSight(slice.limit, 'bigint');
  const offset = bindings.inSight(slice.offset, 'bigint');
  // One snapshot for page and total: they agree.
  const text = `SELECT counted.total, page.* FROM (SELECT count(*)::int AS total ${rows}) counted
    LEFT JOIN (SELECT ${columns} ${rows} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) page ON true
    ORDER BY ${order}`;
  return listStatement(name, text, slice.order);
}
