import { statement } from '../../../core/database/database.service';
import { ERASURE_BATCH } from '../../../core/events/event.rows';

export const ERASED_COLUMNS = { tool_calls: ['arguments', 'said', 'result', 'error'] };

/** $1: conversation */
export const ERASE_CALLS = statement(
  'tool-calls-erase',
  `DELETE FROM tool_calls WHERE id IN (
     SELECT id FROM tool_calls WHERE conversation_id = $1::uuid ORDER BY id LIMIT ${ERASURE_BATCH}
   ) RETURNING 1`,
);

/** In a restored database: a receiver may have changed since, and calls may do something a second time. */
export const DISABLE_TOOLS = 'UPDATE tools SET enabled = false WHERE enabled';
