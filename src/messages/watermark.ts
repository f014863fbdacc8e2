/**
 * How far a message may be stamped before the database's own time, in seconds. An instance stamps by its Clock, which
 * may be further behind: it was frozen in between, or the database's clock was set.
 */
const LONGEST_LAG_SECONDS = 30;

/** What a message takes at most from its stamp to its commit, and something over: a statement may run for 15 seconds. */
const WATERMARK_DISTANCE_SECONDS = 60;

/**
 * SQL of a message's `created_at`: the moment given, unless it may be settled by now. The same in all of a statement.
 * @param moment SQL of the instance's time
 */
export function clampedTimestamp(moment: string): string {
  return `greatest(${moment}::timestamptz, statement_timestamp() - interval '${LONGEST_LAG_SECONDS} seconds')`;
}

/**
 * SQL of the moment before which no message can appear any more: how many there are is a fact. A minute ago, or a minute
 * before the oldest transaction that writes began: what it stores was stamped after that, whenever it commits.
 */
export const WATERMARK = `least(now(), (
    SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
  )) - interval '${WATERMARK_DISTANCE_SECONDS} seconds'`;
