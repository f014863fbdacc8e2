import type { EntityManager } from 'typeorm';
import { FOLDED_AT_ONCE } from '../../core/counts/folded-counts.service';
import { askIn, statement } from '../../core/database/database.service';
import { firstIdOf } from '../../core/events/id-times';

/** Adds each change to every combination of filters that it matches; sorted, so that instances lock in one order. */
export const FOLD_AUDIT_LOG = statement(
  'audit-log-counts-fold',
  `WITH change AS (
     DELETE FROM audit_log_count_changes WHERE id IN (
       SELECT id FROM audit_log_count_changes ORDER BY id LIMIT ${FOLDED_AT_ONCE} FOR UPDATE SKIP LOCKED
     ) RETURNING owner, api_key_id, status, route, method, hour, change
   ),
   folded AS (
     INSERT INTO audit_log_counts AS c (owner, facet, hour, count)
     SELECT owner, concat(CASE WHEN grouping(api_key_id) = 0 THEN api_key_id END, '|', CASE WHEN grouping(status) = 0 THEN status END,
       '|', CASE WHEN grouping(route) = 0 THEN route END, CASE WHEN grouping(method) = 0 THEN '|' || method END), hour, sum(change)
     FROM change GROUP BY owner, hour, CUBE (api_key_id, status, route, method)
     HAVING NOT (grouping(api_key_id) = 0 AND api_key_id IS NULL) AND NOT (grouping(route) = 0 AND route IS NULL)
     ORDER BY 1, 2, 3
     ON CONFLICT (owner, facet, hour) DO UPDATE SET count = c.count + excluded.count
   )
   SELECT count(*)::int AS folded FROM change`,
);

/** $1: the first id of a moment. Whether the default partition has entries from before that moment. */
const HAS_OTHERS = statement('audit-has-others', 'SELECT 1 FROM audit_log_other WHERE id < $1::uuid LIMIT 1');

/** $1: the start of an hour. */
const FORGET_CHANGES = statement(
  'audit-log-count-changes-forget',
  'DELETE FROM audit_log_count_changes WHERE hour < $1::timestamptz',
);
const FORGET = statement('audit-log-counts-forget', 'DELETE FROM audit_log_counts WHERE hour < $1::timestamptz');

/**
 * Deletes the counts of a partition before it is dropped, because a drop fires no trigger. Partitions begin and end
 * with an hour and are dropped oldest first, so all counts of earlier hours belong to dropped partitions, unless the
 * default partition has entries that old. Then the drop waits until those are deleted.
 * @returns whether the partition can be dropped
 */
export async function forgetAuditCounts(rows: EntityManager, until: Date): Promise<boolean> {
  if ((await askIn(rows, HAS_OTHERS, [firstIdOf(until)])).length > 0) return false;
  // First the changes: this statement waits for a running fold, and the next one then sees the counts of that fold.
  await askIn(rows, FORGET_CHANGES, [until]);
  await askIn(rows, FORGET, [until]);
  return true;
}
