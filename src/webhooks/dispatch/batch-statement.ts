import type { Statement } from '../../core/database/database';

/**
 * A statement over a whole batch, without a name: PostgreSQL plans it each time, for the tables as large as they are then.
 * A named one keeps the plan of its first runs, when the tables were empty; that cost two thirds of the throughput.
 */
export function batchStatement(text: string): Statement {
  return { name: '', text };
}
