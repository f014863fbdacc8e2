import type { Environment } from '#contracts';
import { statement } from '../../../core/database/database.service';
import { ERASURE_BATCH, insertEvents } from '../../../core/events/event.rows';
import type { Round } from '../rounds/round';
import type { JsonSchema } from '../schema/schema-fault';
import type { SigningTool } from './tool-client.service';

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

/** The tools that a model is offered, with their secrets. */
export interface EnabledTool extends SigningTool {
  environment: Environment;
  description: string;
  parameters: JsonSchema;
}

export const ENABLED_TOOLS = statement(
  'tools-enabled',
  `SELECT id, environment, name, description, parameters, url, timeout_seconds AS "timeoutSeconds", secret,
     previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil"
   FROM tools WHERE enabled ORDER BY name`,
);

const CALL_COLUMNS = `id uuid, environment environment, tool_id uuid, name text, arguments json, conversation_id uuid,
  message_id uuid, answers_from integer, answers_to integer, round smallint, said text, status text, ms integer, error text`;
const COLUMNS = `id, environment, tool_id, name, arguments, conversation_id, message_id, answers_from, answers_to, round, said,
  status, ms, error`;

/** The common table expression that stores calls before they are sent. @param calls placeholder of the JSON of `callRows` */
export const insertCalls = (calls: string, condition = 'true') => `stored_call AS (
    INSERT INTO tool_calls (${COLUMNS}, created_at)
    SELECT ${COLUMNS}, now() FROM json_to_recordset(${calls}::json) AS c(${CALL_COLUMNS}) WHERE ${condition}
  )`;

/** $1: the rows of calls */
export const STORE_CALLS = statement('tool-calls-store', `WITH ${insertCalls('$1')} SELECT 1`);

/** The outcome of a call, once. $1: the call, $6: events */
export const RECORD_CALL = statement(
  'tool-calls-record',
  `WITH ended AS (
     UPDATE tool_calls SET status = $2, ms = $3::integer, result = $4, error = $5
     WHERE id = $1::uuid AND status IS NULL RETURNING 1
   ),
   ${insertEvents('$6', 'EXISTS (SELECT FROM ended)')}
   SELECT 1 FROM ended`,
);

/** The rows that `insertCalls` reads. */
export function callRows(round: Round, origin: CallOrigin): string {
  return JSON.stringify(
    round.calls
      .filter(({ toolId }) => toolId !== null)
      .map(({ id, toolId, name, arguments: given, status, ms, error }) => ({
        ...origin,
        id,
        tool_id: toolId,
        name,
        arguments: given,
        round: round.number,
        said: round.said,
        status,
        ms,
        error,
      })),
  );
}

/** The columns that all calls of an answer share. */
export interface CallOrigin {
  environment: Environment;
  conversation_id?: string;
  message_id?: string;
  answers_from?: number;
  answers_to?: number;
}
