/**
 * How far a message's timestamp may lag behind the database's clock, in seconds. An instance stamps messages by its Clock,
 * which may lag further: after the process was frozen, or the database's clock was set.
 */
const LONGEST_LAG_SECONDS = 30;

/** The longest time from a message's timestamp to its commit, with a margin: a statement may run for 15 seconds. */
const WATERMARK_DISTANCE_SECONDS = 60;

/**
 * SQL of a message's `created_at`: the moment given, but not before the watermark. The same throughout a statement.
 * @param moment SQL of the instance's time
 */
export function clampedTimestamp(moment: string): string {
  return `greatest(${moment}::timestamptz, statement_timestamp() - interval '${LONGEST_LAG_SECONDS} seconds')`;
}

/**
 * SQL of the moment before which no message can appear any more, so that their number is final: a minute ago, or a minute
 * before the oldest open writing transaction began. The messages of that transaction have a later time, whenever it commits.
 */
export const WATERMARK = `least(now(), (
    SELECT min(xact_start) FROM pg_stat_activity
    WHERE backend_xid IS NOT NULL AND datname = current_database() AND pid <> pg_backend_pid()
  )) - interval '${WATERMARK_DISTANCE_SECONDS} seconds'`;
