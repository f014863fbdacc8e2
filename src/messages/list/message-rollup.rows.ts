import { triesLock } from '../../core/database/advisory-locks';
import { statement } from '../../core/database/database.service';
import { WATERMARK } from '../watermark.rows';

export const BEGIN_ROLLUP = statement(
  'message-rollup-begin',
  `INSERT INTO rollups (name, through) VALUES ($1, '-infinity') ON CONFLICT DO NOTHING`,
);

/**
 * The span that is to be added next, from `through` on: up to the watermark, but at most the messages of one hour, so that it
 * ends in time after a long pause too. No row while another instance rolls up, nor where no message is left to add.
 */
export const NEXT_SPAN = statement(
  'message-rollup-span',
  `WITH turn AS (SELECT through FROM rollups WHERE name = $1 AND ${triesLock('messageRollup')} FOR UPDATE),
   -- Named one by one, the environments let the list's index be used.
   next AS (
     SELECT min(first.created_at) AS at FROM turn, unnest(enum_range(NULL::environment)) AS own (environment), LATERAL (
       SELECT created_at FROM messages WHERE environment = own.environment AND created_at >= turn.through
       ORDER BY created_at LIMIT 1
     ) first
   ),
   reach AS (SELECT through, date_trunc('second', ${WATERMARK}) AS settled FROM turn),
   bounds AS (
     SELECT through, settled, greatest(through, least(settled, (SELECT at FROM next) + interval '1 hour')) AS until FROM reach
   )
   SELECT through::text AS "from", until::text, until < settled AS behind FROM bounds
   WHERE (SELECT at FROM next) IS NOT NULL`,
);

/**
 * Adds the messages of a span to their hours. Without a name it is planned for the span that it is given: a plan for any span reads the
 * whole table once that is large.
 */
export const ADD_SPAN = statement(
  '',
  `WITH counted AS (
      INSERT INTO message_counts AS c (environment, hour, platform, direction, count)
      SELECT environment, date_trunc('hour', created_at, 'UTC'), platform, direction, count(*) FROM messages
      WHERE environment = ANY (enum_range(NULL::environment)) AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
      GROUP BY 1, 2, 3, 4
      ON CONFLICT (environment, hour, platform, direction) DO UPDATE SET count = c.count + excluded.count
    )
    UPDATE rollups SET through = $3 WHERE name = $1`,
);

/** Times as PostgreSQL writes them. */
export interface Span {
  from: string;
  until: string;
  /** There is more to add. */
  behind: boolean;
}
