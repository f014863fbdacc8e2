/**
 * SQL of a lease: `lease_until` says until when one instance holds a row, on PostgreSQL's clock. Each claim raises
 * `fence`; an instance that finishes names the fence it claimed under, so that one that lost its lease changes nothing.
 */

/** The end of a lease that begins now. */
export function leaseOf(seconds: number): string {
  return `now() + interval '${seconds} seconds'`;
}

/** Whether no instance holds the row. @param column of the lease, with its table's alias where there are several */
export function isFree(column = 'lease_until'): string {
  return `(${column} IS NULL OR ${column} < now())`;
}
