import { statement } from '../../../core/database/database.service';
import { MOST_SAMPLES } from '../problem';

const FAILURES_IN_A_ROW = 3;
/** Calls that are read of each tool. */
const MOST_CALLS = 1_000;

export interface FailingToolRow {
  id: string;
  name: string;
  count: number;
  first_at: Date;
  last_at: Date;
  samples: string[];
  [column: string]: unknown;
}

/**
 * The enabled tools whose newest calls failed, with the calls since their last success. A call whose arguments were refused says
 * nothing about its tool. `$1` the environment.
 */
export const FAILING_TOOLS = statement(
  'problem-tools',
  `SELECT tool.id, tool.name, run.count, run.first_at, run.last_at, run.samples
   FROM tools tool
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS count, min(created_at) AS first_at, max(created_at) AS last_at,
       (array_agg(id ORDER BY created_at DESC, id DESC))[1:${MOST_SAMPLES}] AS samples
     FROM (
       SELECT id, created_at, count(*) FILTER (WHERE status = 'success') OVER (ORDER BY created_at DESC, id DESC) AS successes
       FROM (
         SELECT id, created_at, status FROM tool_calls
         WHERE tool_id = tool.id AND status IN ('success', 'failed', 'timed_out')
         ORDER BY created_at DESC, id DESC LIMIT ${MOST_CALLS}
       ) call
     ) numbered WHERE successes = 0
   ) run
   WHERE tool.environment = $1 AND tool.enabled AND run.count >= ${FAILURES_IN_A_ROW}`,
);
