import { FOLDED_AT_ONCE } from '../core/counts/folded-counts.service';
import { statement } from '../core/database/database.service';

/** A change counts for its hour and for all hours. Sorted, so that instances lock in the same order. */
export const FOLD_CONVERSATIONS = statement(
  'conversation-counts-fold',
  `WITH change AS (
     DELETE FROM conversation_count_changes WHERE id IN (
       SELECT id FROM conversation_count_changes ORDER BY id LIMIT ${FOLDED_AT_ONCE} FOR UPDATE SKIP LOCKED
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
