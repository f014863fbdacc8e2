import type { EntityManager } from 'typeorm';
import { askIn, statement } from '../../core/database/database.service';
import { firstIdOf } from '../../core/events/id-times';

/** $1: the first id of a moment. Whether the partition of what no other one takes has entries of before it. */
const HAS_OTHERS = statement('audit-has-others', 'SELECT 1 FROM audit_log_other WHERE id < $1::uuid LIMIT 1');

/** $1: the start of an hour. */
const FORGET = statement('audit-counts-forget', 'DELETE FROM audit_counts WHERE hour < $1::timestamptz');

/**
 * Takes the counts of a partition's entries back before it is dropped, which no trigger sees. Partitions begin and end with an hour,
 * and are dropped oldest first: the counts of earlier hours are theirs, unless other entries are that old, which are deleted first.
 * @returns whether the partition can be dropped
 */
export async function forgetAuditCounts(rows: EntityManager, until: Date): Promise<boolean> {
  if ((await askIn(rows, HAS_OTHERS, [firstIdOf(until)])).length > 0) return false;
  await askIn(rows, FORGET, [until]);
  return true;
}
