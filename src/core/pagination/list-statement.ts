import type { Bindings } from '../database/bindings';
import { composedStatement, statement, type Statement } from '../database/database.service';
import type { TimeRange } from './list-query.dto';
import type { SortField } from './sort';

/**
 * The statement of a list. A statement that sorts by several fields has no name and is parsed each time: callers may ask for
 * hundreds of such orders, and a connection keeps every named statement.
 * @param order from parseSort: the requested fields, and `id`
 */
export function listStatement(prefix: string, text: string, order: readonly SortField[]): Statement {
  return order.length > 2 ? statement('', text) : composedStatement(prefix, text);
}

/** SQL conditions of a time range, with the moments visible to the planner. */
export function createdWithin({ from, until }: TimeRange, bindings: Bindings): string[] {
  return [
    ...(from ? [`created_at >= ${bindings.inSight(from, 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.inSight(until, 'timestamptz')}`] : []),
  ];
}
