import type { Environment } from '#contracts';
import { composedStatement, statement, type Statement } from '../database/database.service';
import { isFree, leaseOf } from '../database/lease';

/** The columns that make a row a piece of work. `next_at` is null when nothing is due. */
export interface DueRow {
  environment: Environment;
  fence: number;
  attempts: number;
  /** How many times in a row it failed by a fault of our own. */
  faults: number;
}

/** A table whose rows carry `next_at, lease_until, fence, attempts, faults, faulted_at`. */
export interface DueTable {
  table: string;
  /** Primary key column, a uuid. */
  key: string;
  /** SQL of a row's environment: a column or an expression. */
  environment: string;
  /** Columns of a claimed row that the handler needs. */
  columns: string;
  /** SQL condition of a row, besides being due. */
  condition?: string;
  leaseSeconds: number;
}

export interface DueStatements {
  /** $1: key, $2: deadline (see claimDeadline) */
  claim: Statement;
  /** $1: key. Milliseconds until the row can be claimed; no row: nothing is due, or another instance holds it. */
  next: Statement;
  /** $1: key, $2: fence */
  extend: Statement;
  /** $1: key, $2: fence, $3: seconds until it is due again, $4: faults of our own in a row, including this one */
  postpone: Statement;
  /** $1: key, $2: fence */
  release: Statement;
}

/** SQL of the keys whose rows wait to be claimed. */
export function dueKeysOf({ table, key, environment, condition = 'true' }: Omit<DueTable, 'columns'>): string {
  return `SELECT ${environment} AS environment, ${key} AS key FROM ${table}
    WHERE next_at <= now() AND ${isFree()} AND ${condition} ORDER BY next_at`;
}

/** Combines several statements into one. A row's `index` is that of its statement. */
export function unionOf(name: string, texts: readonly string[]): Statement {
  const parts = texts.map((text, index) => `SELECT ${index} AS index, part.* FROM (${text}) part`);
  return composedStatement(name, parts.join(' UNION ALL '));
}

/**
 * Statements that claim and hold the row of a key, by a lease on PostgreSQL's clock and a fence. Each claim raises `fence`,
 * and an instance that finishes names the fence of its claim: a holder that lost its lease (stopped, cut off) cannot
 * overwrite the next holder's work.
 */
export function dueStatements({
  table,
  key,
  environment,
  columns,
  condition = 'true',
  leaseSeconds,
}: DueTable): DueStatements {
  const lease = leaseOf(leaseSeconds);
  const mine = `${key} = $1 AND fence = $2`;
  // Opaque to the planner, which would otherwise search the index of all due rows instead of the key's.
  const isDue = 'coalesce(next_at <= now(), false)';
  return {
    claim: composedStatement(
      `${table}-claim-key`,
      `UPDATE ${table} SET lease_until = ${lease}, fence = fence + 1, attempts = attempts + 1
       WHERE ${key} = $1 AND ${isDue} AND ${isFree()} AND now() < $2::timestamptz AND ${condition}
       RETURNING ${environment} AS environment, fence, attempts, faults, ${columns}`,
    ),
    next: composedStatement(
      `${table}-next`,
      `SELECT greatest(extract(epoch FROM next_at - now()) * 1000, 0)::float8 AS ms FROM ${table}
       WHERE ${key} = $1 AND coalesce(next_at, 'infinity') < 'infinity' AND ${isFree()} AND ${condition}`,
    ),
    extend: composedStatement(
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
