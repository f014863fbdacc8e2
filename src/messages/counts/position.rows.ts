import type { PartitionSql } from './partition.rows';

/**
 * SQL of a row whose `rank` is the number of the partition's messages before a moment, or of all its messages. The count
 * refers to the checkpoint's row, which keeps PostgreSQL from counting in parallel: the planner expects many messages after
 * a checkpoint, and starting parallel workers takes ten times as long as a list.
 * @param moment SQL of the moment
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
