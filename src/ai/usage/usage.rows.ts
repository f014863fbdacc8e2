import { COMMIT_WITHOUT_WAITING, statement } from '../../core/database/database.service';
import { insertEvents } from '../../core/events/event.rows';

/** How many rows an hour and model have, in which transactions of the whole fleet bill at the same time. */
const BILL_SLOTS = 16;

/**
 * SQL of the hour of an answer plus a slot, in milliseconds. A row is locked until its commit is on the disk: with one row for each
 * model the whole fleet could store only one answer per commit. Two connections seldom share a slot, and readers sum the
 * rows of an hour (ADR 118).
 */
const HOUR = `date_trunc('hour', at, 'UTC') + pg_backend_pid() % ${BILL_SLOTS} * interval '1 millisecond'`;

/**
 * The common table expressions that add answers to their hours and store events: the bill and the events agree. Every
 * instance uses the same order, so that two of them never deadlock.
 * @param answers placeholder of the first parameter that `rows` makes, `events` that of the second
 * @param condition SQL that must hold for the events to be stored; what the provider bills is on the bill in any case
 */
export const billAnswers = (answers: string, events: string, condition?: string) => `answer AS (
    SELECT * FROM json_to_recordset(${answers}::json) AS a(environment environment, at timestamptz, model text, input bigint,
      output bigint, cache_read bigint, cache_write bigint, cost numeric, key uuid, conversation uuid, is_answer boolean)
  ),
  usage AS (
    INSERT INTO ai_usage AS u (environment, hour, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
      answered_at)
    SELECT environment, ${HOUR} AS hour, model, count(*), sum(input), sum(output), sum(cache_read),
      sum(cache_write), sum(cost), max(at) FILTER (WHERE is_answer)
    FROM answer GROUP BY environment, hour, model ORDER BY environment, hour, model
    ON CONFLICT (environment, hour, model) DO UPDATE SET
      requests = u.requests + excluded.requests,
      input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens,
      cache_read_tokens = u.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
      cost_usd = u.cost_usd + excluded.cost_usd,
      answered_at = greatest(u.answered_at, excluded.answered_at)
  ),
  of_conversation AS (
    INSERT INTO ai_conversation_usage AS c (conversation_id, hour, environment, requests, input_tokens, output_tokens, cost_usd)
    SELECT conversation, date_trunc('hour', at, 'UTC') AS hour, environment, count(*), sum(input + cache_read + cache_write), sum(output), sum(cost)
    FROM answer WHERE conversation IS NOT NULL GROUP BY conversation, hour, environment ORDER BY conversation, hour
    ON CONFLICT (conversation_id, hour) DO UPDATE SET
      requests = c.requests + excluded.requests,
      input_tokens = c.input_tokens + excluded.input_tokens,
      output_tokens = c.output_tokens + excluded.output_tokens,
      cost_usd = c.cost_usd + excluded.cost_usd
  ),
  ${insertEvents(events, condition)}`;

/** For requests of clients only: a reply has no key. */
const BILL = `${billAnswers('$1', '$2')},
  of_key AS (
    INSERT INTO ai_key_usage AS k (api_key_id, hour, model, requests, input_tokens, output_tokens, cost_usd)
    SELECT key, date_trunc('hour', at, 'UTC') AS hour, model, count(*), sum(input + cache_read + cache_write), sum(output), sum(cost)
    FROM answer WHERE key IS NOT NULL GROUP BY key, hour, model ORDER BY key, hour, model
    ON CONFLICT (api_key_id, hour, model) DO UPDATE SET
      requests = k.requests + excluded.requests,
      input_tokens = k.input_tokens + excluded.input_tokens,
      output_tokens = k.output_tokens + excluded.output_tokens,
      cost_usd = k.cost_usd + excluded.cost_usd
  )`;
export const RECORD = statement('ai-usage-record', `WITH ${BILL} SELECT 1`);
/** Committed asynchronously: the answer goes out before the bill is on disk (ADR 23). */
export const RECORD_HELD = statement('ai-usage-record-held', `WITH ${BILL} SELECT ${COMMIT_WITHOUT_WAITING}`);
