import { statement, type Statement } from '../../core/database/database.service';
import type { UsageGroup } from '../dto/usage-report.dto';

/** The most conversations of a report. */
const DEAREST = 100;

const date = (text: string) => `length(${text}::text) = 10`;
const dayStart = (day: string) => `(${day})::timestamp AT TIME ZONE $4::text`;
/** The last day of the period. */
const LAST_DAY = `CASE WHEN ${date('$3')} THEN $3::date ELSE (coalesce($3::timestamptz, $5) AT TIME ZONE $4)::date END`;
/** The 30th day before the day after the period. */
const FIRST_DAY = `${LAST_DAY} - 29`;

/**
 * Usage is counted by hours in UTC: a period begins with the hour that contains its start. $1: environment, $2 and $3: start and end, a
 * date or a timestamp or null, $4: time zone, $5: now
 */
const PERIOD = `period AS (
  SELECT CASE WHEN $2::text IS NULL THEN ${dayStart(FIRST_DAY)} WHEN ${date('$2')} THEN ${dayStart('$2::date')}
      ELSE date_trunc('hour', $2::timestamptz, 'UTC') END AS start,
    CASE WHEN $3::text IS NULL THEN $5::timestamptz WHEN ${date('$3')} THEN ${dayStart('$3::date + 1')}
      ELSE $3::timestamptz + interval '1 millisecond' END AS until
)`;

const SUMS =
  'sum(requests)::float8 AS requests, sum(input + output_tokens)::float8 AS tokens, sum(cost_usd)::float8 AS cost_usd';
const TOTAL = `(SELECT *, input_tokens + cache_read_tokens + cache_write_tokens AS input FROM ai_usage, period
  WHERE environment = $1::environment AND hour >= start AND hour < until) used`;
const OF_KEYS = `(SELECT k.*, k.input_tokens AS input FROM ai_key_usage k JOIN api_keys a ON a.id = k.api_key_id, period
  WHERE a.environment = $1::environment AND hour >= start AND hour < until) used`;
const OF_CONVERSATIONS = `(SELECT *, input_tokens AS input FROM ai_conversation_usage, period
  WHERE environment = $1::environment AND hour >= start AND hour < until) used`;

/** The usage of the groups of `own`, and with no group the usage that none of them caused. */
const withRest = (group: string, own: string) => `SELECT * FROM (
  SELECT ${group} AS "group", ${SUMS} FROM ${own} GROUP BY 1
  UNION ALL
  SELECT NULL, total.requests - coalesce(own.requests, 0), total.tokens - coalesce(own.tokens, 0),
    greatest(0, (total.cost - coalesce(own.cost, 0))::float8)
  FROM (SELECT sum(requests) AS requests, sum(input + output_tokens) AS tokens, sum(cost_usd) AS cost FROM ${TOTAL}) total,
    (SELECT sum(requests) AS requests, sum(input + output_tokens) AS tokens, sum(cost_usd) AS cost FROM ${own}) own
  WHERE total.requests > coalesce(own.requests, 0)) groups ORDER BY cost_usd DESC, 1 NULLS LAST`;

const ITEMS: Readonly<Record<UsageGroup, string>> = {
  day: `SELECT to_char(hour AT TIME ZONE $4, 'YYYY-MM-DD') AS "group", ${SUMS} FROM ${TOTAL} GROUP BY 1 ORDER BY 1`,
  model: `SELECT model AS "group", ${SUMS} FROM ${TOTAL} GROUP BY 1 ORDER BY cost_usd DESC, 1`,
  account: withRest(
    `c.platform || ' ' || c.account`,
    `${OF_CONVERSATIONS} JOIN conversations c ON c.id = conversation_id`,
  ),
  key: withRest('api_key_id::text', OF_KEYS),
  conversation: `SELECT conversation_id AS "group", ${SUMS} FROM ${OF_CONVERSATIONS} GROUP BY 1
    ORDER BY cost_usd DESC, tokens DESC, 1 LIMIT ${DEAREST}`,
};

export interface UsageRow {
  start: Date;
  until: Date;
  /** The group of an account is its platform and its key. */
  items: { group: string | null; requests: number; tokens: number; cost_usd: number }[];
}

export function usageReport(group: UsageGroup): Statement {
  return statement(
    `ai-usage-by-${group}`,
    `WITH ${PERIOD}, item AS (${ITEMS[group]})
     SELECT start, until, (SELECT coalesce(json_agg(item), '[]') FROM item) AS items FROM period`,
  );
}
