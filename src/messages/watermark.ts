/**
 * How far a message may be stamped before the database's own time, in seconds. An instance stamps by its Clock, which
 * may be further behind: it was frozen in between, or the database's clock was set.
 */
const STAMPED_BEHIND_SECONDS = 30;

/** What a message takes at most from its stamp to its commit, and something over: a statement may run for 15 seconds. */
const SETTLED_AFTER_SECONDS = 60;

/**
 * SQL of a message's `created_at`: the moment given, unless it may be settled by now. The same in all of a statement.
 * @param moment SQL of the instance's time
 */
export function stampedAt(moment: string): string {
  return `greatest(${moment}::timestamptz, statement_timestamp() - interval '${STAMPED_BEHIND_SECONDS} seconds')`;
}

/**
 * SQL of the moment before which no message can appear any more: how many there are is a fact. A minute ago, or a minute
 * before the oldest transaction that writes began: what it stores was stamped after that, whenever it commits.
 */
export const SETTLED = `least(now(), (
    SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
  )) - interval '${SETTLED_AFTER_SECONDS} seconds'`;
