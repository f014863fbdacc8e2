import type { Bindings } from '../database/bindings';
import { composedStatement, statement, type Statement } from '../database/database.service';
import type { TimeRange } from './list-query.dto';
import type { SortField } from './sort';

/**
 * The statement of a list. One sorted by several fields has no name and is parsed each time: callers may ask for
 * hundreds of such orders, and a connection keeps every statement that has a name.
 * @param order as parseSort gives it: the fields asked for, and `id`
 */
export function listStatement(prefix: string, text: string, order: readonly SortField[]): Statement {
  return order.length > 2 ? statement('', text) : composedStatement(prefix, text);
}

/** SQL conditions of a list that is cut by time, with the moments in sight of the planner. */
export function createdWithin({ from, until }: TimeRange, bindings: Bindings): string[] {
  return [
    ...(from ? [`created_at >= ${bindings.inSight(from, 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.inSight(until, 'timestamptz')}`] : []),
  ];
}
