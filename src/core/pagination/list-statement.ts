import type { Bindings } from '../database/bindings';
import { composedStatement, statement, type Statement } from '../database/database.service';
import { ISO_TIMES } from './iso-times';
import type { SortField } from './sort';

/**
 * The statement of a list, with timestamps as ISO 8601 text. A statement that sorts by several fields has no name and is
 * parsed each time: callers may ask for hundreds of orders, and a connection keeps every named statement.
 * @param order from parseSort: the requested fields, and `id`
 */
export function listStatement(prefix: string, text: string, order: readonly SortField[]): Statement {
  return { ...(order.length > 2 ? statement('', text) : composedStatement(prefix, text)), types: ISO_TIMES };
}

/** SQL conditions of a time range, with the bounds visible to the planner. */
export function createdWithin<Moment>(
  { from, until }: { from?: Moment; until?: Moment },
  bindings: Pick<Bindings<Moment>, 'inline'>,
): string[] {
  return [
    ...(from ? [`created_at >= ${bindings.inline(from, 'timestamptz')}`] : []),
    ...(until ? [`created_at < ${bindings.inline(until, 'timestamptz')}`] : []),
  ];
}
