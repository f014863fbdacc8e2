/**
 * SQL of a lease: one instance holds a row until `lease_until`, on PostgreSQL's clock. Each claim raises `fence`; an
 * instance that finishes names the fence of its claim, so an instance that lost its lease changes nothing.
 */

/** The end of a lease that begins with the statement: its transaction may have begun long before. */
export function leaseOf(seconds: number): string {
  return `statement_timestamp() + interval '${seconds} seconds'`;
}

/** The end of a lease whose holder has died. */
export const ENDED = `now() - interval '1 second'`;

/** Whether no instance holds the row. @param column of the lease, with its table's alias where there are several */
export function isFree(column = 'lease_until'): string {
  return `(${column} IS NULL OR ${column} < now())`;
}
