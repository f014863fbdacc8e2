import { isFree } from '../../database/lease';
import type { DueTable } from '../due.rows';
import { FAULT_LIMIT } from './own-fault';

/** How long work that was given up is reported. */
const GIVEN_UP_SHOWS = `interval '5 minutes'`;

/** The most pieces of a kind that one look reads, however many wait. */
export const LOOK_LIMIT = 1_000;

/** SQL of a table with one column, `environment`. */
export const ENVIRONMENTS_SQL = 'unnest(enum_range(NULL::environment)) AS environments (environment)';

/** One kind of due work in one environment, as far as one look reads. */
export interface DueState {
  /** Pieces whose time has come, those under way included. */
  due: number;
  /** How long the oldest of them has been due, in seconds; null if none. */
  oldest_seconds: number | null;
  /** Pieces under a lease. */
  running: number;
  /** How long the oldest piece without a lease has been due, in seconds; null if none. */
  waiting_seconds: number | null;
  /** A piece failed `FAULT_LIMIT` times in a row by a fault of our own, or was recently given up for such faults. */
  faulty: boolean;
}

/** SQL: seconds since a moment. */
export function secondsSince(moment: string): string {
  return `extract(epoch FROM now() - ${moment})::float8`;
}

/** SQL condition: a table has a stuck piece of due work. */
export function hasFaulty(table: string, condition = 'true'): string {
  return `EXISTS (
    SELECT FROM ${table} WHERE faults >= ${FAULT_LIMIT} AND ${condition}
      AND (next_at IS NOT NULL OR faulted_at > now() - ${GIVEN_UP_SHOWS})
  )`;
}

/**
 * SQL that reads the state of a table's due work, a row for each environment, from the pieces that have been due longest.
 * Claims take these first, so the pieces under way are among them.
 * @param givesUp whether its rows carry `given_up_at`
 */
export function dueStateOf(
  { table, environment, condition = 'true' }: Pick<DueTable, 'table' | 'environment' | 'condition'>,
  givesUp: boolean,
): string {
  const givenUp = `OR EXISTS (SELECT FROM ${table} WHERE given_up_at > now() - ${GIVEN_UP_SHOWS})`;
  return `WITH due AS (
     SELECT ${environment} AS environment, next_at, ${isFree()} AS free
     FROM ${table} WHERE next_at <= now() AND ${condition}
     ORDER BY next_at LIMIT ${LOOK_LIMIT}
   )
   SELECT count(next_at)::integer AS due, ${secondsSince('min(next_at)')} AS oldest_seconds,
     count(*) FILTER (WHERE NOT free)::integer AS running,
     ${secondsSince('min(next_at) FILTER (WHERE free)')} AS waiting_seconds,
     ${hasFaulty(table, condition)} ${givesUp ? givenUp : ''} AS faulty
   FROM ${ENVIRONMENTS_SQL} LEFT JOIN due USING (environment) GROUP BY environment`;
}
