import type { Statement } from '../../core/database/database.service';

/**
 * A statement over a whole batch, without a name: PostgreSQL plans it each time for the current size of the tables. A named
 * statement keeps the plan of its first runs, when the tables were empty; that cost two thirds of the throughput.
 */
export function batchStatement(text: string): Statement {
  return { name: '', text };
}

/** The order in which every statement locks dispatches, that of the primary key, so that two statements never deadlock. */
export function inLockOrder<Row extends { event_id: string; webhook_id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) =>
    one.event_id < other.event_id || (one.event_id === other.event_id && one.webhook_id < other.webhook_id) ? -1 : 1,
  );
}
