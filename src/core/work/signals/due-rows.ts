import type { Environment } from '#contracts';
import { statement, type Statement } from '../../database/database.service';
import { isFree, leaseOf } from '../../database/lease';

/** The columns that make a row a piece of work. `next_at` is null when nothing is due. */
export interface DueRow {
  environment: Environment;
  fence: number;
  attempts: number;
  /** How often in a row it failed by a fault of our own. */
  faults: number;
}

/** A table whose rows carry `next_at, lease_until, fence, attempts, faults, faulted_at`. */
export interface DueTable {
  table: string;
  /** Primary key column, a uuid. */
  key: string;
  /** SQL of a row's environment: a column or an expression. */
  environment: string;
  /** What the handler gets of a claimed row. */
  columns: string;
  /** SQL that a row must meet beside being due. */
  condition?: string;
  leaseSeconds: number;
}

export interface DueStatements {
  /** $1: how many live rows, $2: how many test rows, $3: until when (see claimDeadline) */
  claim: Statement;
  /** $1: key, $2: fence */
  extend: Statement;
  /** $1: key, $2: fence, $3: seconds until it is due again, $4: faults of our own in a row, this one included */
  postpone: Statement;
  /** $1: key, $2: fence */
  release: Statement;
}

/** SQL that is true while a row waits to be claimed. */
export function hasDue({ table, condition = 'true' }: Pick<DueTable, 'table' | 'condition'>): string {
  return `EXISTS (SELECT FROM ${table} WHERE next_at <= now() AND ${isFree()} AND ${condition})`;
}

/**
 * One way to take due rows: claimed in batches past other instances' locks, held by a lease on PostgreSQL's clock, and
 * fenced: each claim raises `fence`, and an instance that finishes names the fence it claimed under, so that a holder that lost
 * its lease (stopped, cut off) cannot undo the work of the next.
 */
export function dueStatements({
  table,
  key,
  environment,
  columns,
  condition = 'true',
  leaseSeconds,
}: DueTable): DueStatements {
  const dueRows = (word: Environment, places: string) => `
    SELECT ${key} FROM (
      SELECT ${key} FROM ${table}
      WHERE next_at <= now() AND ${isFree()} AND ${environment} = '${word}' AND now() < $3::timestamptz AND ${condition}
      ORDER BY next_at LIMIT ${places} FOR UPDATE SKIP LOCKED
    ) ${word}`;
  const lease = leaseOf(leaseSeconds);
  const mine = `${key} = $1 AND fence = $2`;
  return {
    claim: statement(
      `${table}-claim`,
      `UPDATE ${table} SET lease_until = ${lease}, fence = fence + 1, attempts = attempts + 1
       WHERE ${key} IN (${dueRows('live', '$1')} UNION ALL ${dueRows('test', '$2')})
       RETURNING ${environment} AS environment, fence, attempts, faults, ${columns}`,
    ),
    extend: statement(
      `${table}-extend`,
      `UPDATE ${table} SET lease_until = ${lease} WHERE ${mine} AND lease_until IS NOT NULL RETURNING 1`,
    ),
    postpone: statement(
      `${table}-postpone`,
      `UPDATE ${table} SET next_at = now() + make_interval(secs => $3), lease_until = NULL, faults = $4,
         faulted_at = CASE WHEN $4 > faults THEN now() ELSE faulted_at END
       WHERE ${mine} AND next_at IS NOT NULL`,
    ),
    release: statement(`${table}-release`, `UPDATE ${table} SET lease_until = NULL WHERE ${mine}`),
  };
}
