import { statement } from '../core/database/database.service';
import { PERIODIC_BATCH } from '../core/work/periodic-jobs.service';

/** One statement, so that a concurrent count finds each change in exactly one table. Sorted, so that instances lock in the same order. */
export const FOLD = statement(
  'conversation-counts-fold',
  `WITH change AS (
     DELETE FROM conversation_count_changes WHERE id IN (
       SELECT id FROM conversation_count_changes ORDER BY id LIMIT ${PERIODIC_BATCH} FOR UPDATE SKIP LOCKED
     ) RETURNING environment, hour, platform, status, change
   ),
   folded AS (
     INSERT INTO conversation_counts AS c (environment, hour, platform, status, count)
     SELECT environment, h.hour, platform, status, sum(change)
     FROM change, LATERAL (VALUES (change.hour), ('-infinity')) AS h (hour)
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
     ON CONFLICT (environment, hour, platform, status) DO UPDATE SET count = c.count + excluded.count
   )
   SELECT count(*)::int AS folded FROM change`,
);
