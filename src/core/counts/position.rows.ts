import type { PartitionSql } from './partition.rows';

/**
 * SQL of a row whose `rank` is the number of the partition's messages before a moment, or of all. The count depends on a row beside
 * it, so that it is made by one process: the planner, which cannot know how few messages follow a checkpoint, would start
 * parallel workers for them, and that takes ten times as long as a list.
 * @param moment SQL of it
 */
export function positionOf({ ranks, rows }: PartitionSql, moment?: string): string {
  const [until, before] = moment ? [`AND at <= ${moment}`, `AND created_at < ${moment}`] : ['', ''];
  return `
    SELECT known.rank + (SELECT count(*) FROM (${rows(`created_at >= known.at ${before}`)}) m) AS rank
    FROM (
      SELECT coalesce(max(at), '-infinity') AS at, coalesce(max(rank), 0) AS rank
      FROM (SELECT at, rank FROM message_ranks WHERE ${ranks} ${until} ORDER BY at DESC LIMIT 1) checkpoint
    ) known`;
}
