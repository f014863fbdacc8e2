import type { Statement } from '../../core/database/database.service';

/**
 * A statement over a whole batch, without a name: PostgreSQL plans it each time, for the tables as large as they are then.
 * A named one keeps the plan of its first runs, when the tables were empty; that cost two thirds of the throughput.
 */
export function batchStatement(text: string): Statement {
  return { name: '', text };
}

/**
 * Among the columns of a statement, has its commit not wait for the disk. For what a crash of PostgreSQL may undo, because
 * it will be done again, and of which nothing is told outside before a later commit has waited: the log is written in
 * order, so that one takes this one along. A dispatch is made again from the outbox; the claim that precedes its attempt,
 * and the deletion from the outbox, do wait.
 */
export const COMMIT_WITHOUT_WAITING = `set_config('synchronous_commit', 'off', true)`;

/** All who lock several dispatches do it in one order, that of the primary key: else they would wait for each other. */
export function inLockOrder<Row extends { event_id: string; webhook_id: string }>(rows: readonly Row[]): Row[] {
  const keyOf = ({ event_id, webhook_id }: Row) => event_id + webhook_id;
  return rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
