import { COMMIT_WITHOUT_WAITING, statement } from '../../core/database/database.service';

/**
 * Time is divided into rounds of this many seconds. A reservation of two rounds ago (25 to 50 seconds) counts as spent until it is
 * settled; then it is subtracted again, so a call may take longer.
 */
const ROUND_SECONDS = 25;

const ROUND = `floor(extract(epoch FROM now()) / ${ROUND_SECONDS})::bigint`;

/** The columns of a row as of this round. @param passed rounds since the row's own */
const asOf = (passed: string) => `
    spent + CASE ${passed} WHEN 0 THEN 0 WHEN 1 THEN held_before ELSE held END AS spent,
    CASE ${passed} WHEN 0 THEN held WHEN 1 THEN held - held_before ELSE 0 END AS held,
    CASE ${passed} WHEN 0 THEN held_before WHEN 1 THEN held - held_before ELSE 0 END AS held_before`;

/** Opens a row with the spending of earlier bills, because the bill is older than the budget. */
export const OPEN = statement(
  'ai-spending-open',
  `INSERT INTO ai_spending (owner, period, starts_on, spent)
   SELECT owner, period, starts_on, CASE WHEN owner = ANY(enum_range(NULL::environment)::text[]) THEN
     coalesce((SELECT sum(ceil(cost_usd * 1000000000)) FROM ai_usage
       WHERE environment::text = owner AND hour >= starts_on::timestamp AT TIME ZONE 'UTC'), 0) ELSE 0 END
   FROM unnest($1::text[], $2::text[], $3::date[]) AS key(owner, period, starts_on)
   ORDER BY owner, period, starts_on
   ON CONFLICT (owner, period, starts_on) DO NOTHING`,
);

/**
 * Locks its rows in the order that every statement uses, and decides for all of them: spent + held never
 * exceeds a ceiling. The commit does not wait for the disk: the next one does, of the call's `ai.request`, and takes
 * this one along.
 */
export const RESERVE = statement(
  'ai-spending-reserve',
  `WITH locked AS (
     SELECT p.*, bound.ceiling, bound.amount, greatest(${ROUND} - p.round, 0) AS passed
     FROM ai_spending p
     JOIN unnest($1::text[], $2::text[], $3::date[], $4::bigint[], $5::bigint[])
       AS bound(owner, period, starts_on, ceiling, amount)
       USING (owner, period, starts_on)
     ORDER BY p.owner, p.period, p.starts_on FOR NO KEY UPDATE OF p
   ),
   pot AS (
     SELECT owner, period, starts_on, ceiling, amount, refused, round + passed AS round, ${asOf('passed')} FROM locked
   ),
   verdict AS (
     SELECT count(*) = cardinality($1::text[]) AND bool_and(ceiling IS NULL OR spent + held + amount <= ceiling) AS fits
     FROM pot
   ),
   taken AS (
     UPDATE ai_spending p SET spent = pot.spent, held = pot.held + pot.amount, held_before = pot.held_before, round = pot.round
     FROM pot, verdict
     WHERE fits AND (p.owner, p.period, p.starts_on) = (pot.owner, pot.period, pot.starts_on)
   )
   SELECT owner, period, starts_on::text AS "startsOn", round::int, spent::float8, held::float8, refused::float8, fits,
     ${COMMIT_WITHOUT_WAITING}
   FROM pot, verdict`,
);

/** A crash of PostgreSQL may undo it: the reservations then count as spent. */
export const SETTLE = statement(
  'ai-spending-settle',
  `WITH change AS (
     SELECT * FROM json_to_recordset($1::json)
       AS c(owner text, period text, starts_on date, round bigint, spent bigint, freed bigint)
   ),
   locked AS (
     SELECT p.owner, p.period, p.starts_on, p.round FROM ai_spending p
     WHERE (owner, period, starts_on) IN (SELECT owner, period, starts_on FROM change)
     ORDER BY p.owner, p.period, p.starts_on FOR NO KEY UPDATE OF p
   ),
   total AS (
     SELECT owner, period, starts_on, sum(c.spent) AS spent, sum(freed) AS freed,
       coalesce(sum(freed) FILTER (WHERE c.round = locked.round - 1), 0) AS freed_before,
       coalesce(sum(freed) FILTER (WHERE c.round < locked.round - 1), 0) AS freed_spent
     FROM change c JOIN locked USING (owner, period, starts_on) GROUP BY owner, period, starts_on
   )
   UPDATE ai_spending p SET spent = p.spent + total.spent - freed_spent, held = held - freed + freed_spent,
     held_before = held_before - freed_before
   FROM total WHERE (p.owner, p.period, p.starts_on) = (total.owner, total.period, total.starts_on)
   RETURNING p.owner, p.period, p.starts_on::text AS "startsOn", p.spent::float8, ${COMMIT_WITHOUT_WAITING}`,
);

export const READ = statement(
  'ai-spending-read',
  `SELECT spent::float8, held::float8, refused::float8 FROM (
     SELECT refused, ${asOf(`greatest(${ROUND} - round, 0)`)} FROM ai_spending
     WHERE owner = $1 AND period = $2 AND starts_on = $3::date
   ) p`,
);

export const REFUSED = statement(
  'ai-spending-refused',
  `UPDATE ai_spending SET refused = $4 WHERE owner = $1 AND period = $2 AND starts_on = $3::date AND refused < $4`,
);

/** The reservations of dead processes, which never settle them. */
export const SPEND_RESERVATIONS = `UPDATE ai_spending SET spent = spent + held, held = 0, held_before = 0 WHERE held <> 0`;
