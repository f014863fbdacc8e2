import { statement } from '../core/database/database.service';
import { CERTAIN, type PartBilling } from './billing';

/** The price of a part, as a status reported it. */
export interface BilledPart {
  message_id: string;
  part_index: number;
  billing: PartBilling;
}

/** The limit and the usage count a message at the time when it is to be sent. */
const SENT = 'coalesce(m.send_at, m.created_at)';

/**
 * $1: `BilledPart`s as JSON; a part may occur several times. A part keeps the billing of its furthest status, and the counts of
 * its hour and day change with it. A price of a delivered part is final: a later status, and prices that were set since, do not
 * change it. A failure without a price takes the category that another status reported; without a
 * category, only the day changes. Every statement locks parts, then days, then hours. The day counts a reserved message
 * already, and any other message once it is billed.
 */
export const BILL = statement(
  'billing-record',
  `WITH given AS (
     SELECT * FROM json_to_recordset($1::json) AS g(message_id uuid, part_index integer, billing jsonb)
   ),
   locked AS MATERIALIZED (
     SELECT p.message_id, p.part_index, p.environment, p.platform, p.billing AS former FROM message_parts p
     WHERE (p.message_id, p.part_index) IN (SELECT message_id, part_index FROM given)
     ORDER BY p.message_id, p.part_index FOR NO KEY UPDATE OF p
   ),
   told AS (
     SELECT message_id, part_index, billing, true AS is_new, false AS is_final FROM given
     UNION ALL SELECT message_id, part_index, former, false,
       (former ->> 'rank')::integer >= ${CERTAIN} AND former ->> 'category' IS NOT NULL
     FROM locked WHERE former IS NOT NULL
   ),
   settled AS (
     SELECT message_id, part_index, furthest[1] || coalesce(categories[1], '{}') AS next FROM (
       SELECT message_id, part_index,
         array_agg(billing ORDER BY is_final DESC, (billing ->> 'rank')::integer DESC, is_new) AS furthest,
         array_agg(jsonb_build_object('category', billing -> 'category', 'model', billing -> 'model')
           ORDER BY is_final DESC, (billing ->> 'rank')::integer DESC, is_new
         ) FILTER (WHERE billing ->> 'category' IS NOT NULL) AS categories
       FROM told GROUP BY message_id, part_index
     ) each
   ),
   moved AS MATERIALIZED (
     SELECT * FROM locked JOIN settled USING (message_id, part_index) WHERE next IS DISTINCT FROM former
   ),
   changed AS (
     UPDATE message_parts p SET billing = moved.next FROM moved
     WHERE p.message_id = moved.message_id AND p.part_index = moved.part_index
   ),
   part AS MATERIALIZED (
     SELECT moved.*, ${SENT} AS at, m.options -> 'reserved' ->> 'day' AS reserved_day
     FROM moved JOIN messages m ON m.id = moved.message_id
   ),
   day AS MATERIALIZED (
     SELECT environment, coalesce(reserved_day::date, (at AT TIME ZONE 'UTC')::date) AS day, sum(
       (next ->> 'billable')::boolean::integer - coalesce((former ->> 'billable')::boolean::integer, (reserved_day IS NOT NULL)::integer)
     ) AS messages FROM part GROUP BY 1, 2 ORDER BY 1, 2
   ),
   locked_day AS MATERIALIZED (
     SELECT environment, d.day, day.messages FROM billable_days d JOIN day USING (environment, day) WHERE day.messages <> 0
     ORDER BY environment, d.day FOR NO KEY UPDATE OF d
   ),
   days AS (
     UPDATE billable_days d SET messages = greatest(0, d.messages + l.messages) FROM locked_day l
     WHERE d.environment = l.environment AND d.day = l.day RETURNING 1
   ),
   hour AS (
     SELECT environment, date_trunc('hour', at) AS hour, platform, billing ->> 'category' AS category,
       billing ->> 'country' AS country, sum(sign)::integer AS messages,
       sum(sign * (billing ->> 'billable')::boolean::integer)::integer AS billable,
       sum(sign * (billing ->> 'cost_usd' IS NULL)::integer)::integer AS unpriced,
       sum(sign * coalesce((billing ->> 'cost_usd')::numeric, 0)) AS cost_usd
     FROM (
       SELECT environment, platform, at, 1 AS sign, next AS billing FROM part
       UNION ALL SELECT environment, platform, at, -1, former FROM part WHERE former IS NOT NULL
     ) change
     WHERE (SELECT count(*) FROM days) >= 0 AND billing ->> 'category' IS NOT NULL
     GROUP BY 1, 2, 3, 4, 5
   )
   INSERT INTO platform_usage AS u (environment, hour, platform, category, country, messages, billable, unpriced, cost_usd)
   SELECT * FROM hour WHERE messages <> 0 OR billable <> 0 OR unpriced <> 0 OR cost_usd <> 0
   ORDER BY environment, hour, platform, category, country
   ON CONFLICT (environment, hour, platform, category, country) DO UPDATE SET
     messages = u.messages + excluded.messages, billable = u.billable + excluded.billable,
     unpriced = u.unpriced + excluded.unpriced, cost_usd = u.cost_usd + excluded.cost_usd`,
);

/** Messages of a day ($2) that were billed before there was a limit. $1: environment */
const BILLED_BEFORE = `SELECT coalesce(sum(billable), 0)::integer AS messages FROM platform_usage
     WHERE environment = $1 AND hour >= $2::date::timestamp AT TIME ZONE 'UTC'
       AND hour < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'`;

/**
 * $1: environment, $2: day, $3: messages, $4: the limit or null, $5: how many must fit below the limit; 0: the limit does not count.
 * Returns no row if they do not fit. The first reservation of a day adds what was billed before there was a limit.
 */
export const RESERVE = statement(
  'billing-reserve',
  `INSERT INTO billable_days AS d (environment, day, messages)
   SELECT $1::environment, $2::date, billed.messages + $3::integer FROM (${BILLED_BEFORE}) billed
   WHERE $4::integer IS NULL OR $5::integer = 0 OR billed.messages + $5 <= $4
   ON CONFLICT (environment, day) DO UPDATE SET messages = d.messages + $3
     WHERE $4 IS NULL OR $5 = 0 OR d.messages + $5 <= $4
   RETURNING messages`,
);

/** $1: environment, $2: day */
export const BILLABLE = statement(
  'billing-day',
  `SELECT coalesce((SELECT messages FROM billable_days WHERE environment = $1::environment AND day = $2::date), billed.messages)
     AS messages
   FROM (${BILLED_BEFORE}) billed`,
);

/** Returns what messages reserved, except for parts that their platform accepted. $1: messages that will not be sent further */
export const GIVE_BACK = statement(
  'billing-give-back',
  `WITH rest AS (
     SELECT m.environment, (m.options -> 'reserved' ->> 'day')::date AS day, sum(
       (m.options -> 'reserved' ->> 'messages')::integer -
       (SELECT count(*) FROM message_parts p WHERE p.message_id = m.id AND p.status <> 'failed')
     )::integer AS messages
     FROM messages m WHERE m.id = ANY ($1::uuid[]) AND m.options ? 'reserved' GROUP BY 1, 2
   ),
   locked AS MATERIALIZED (
     SELECT environment, d.day, rest.messages FROM billable_days d JOIN rest USING (environment, day)
     ORDER BY environment, d.day FOR NO KEY UPDATE OF d
   )
   UPDATE billable_days d SET messages = greatest(0, d.messages - locked.messages) FROM locked
   WHERE d.environment = locked.environment AND d.day = locked.day`,
);
