import { QueryFailedError } from 'typeorm';
import { isConnectionLost, NO_CONNECTION } from '../../database/connections/connection-lost';
import { databaseErrorOf } from '../../database/connections/data-fault';
import { DatabaseUnavailableError } from '../../database/outage.service';

/** A piece of due work counts as stuck after this many faults of our own in a row. */
export const FAULT_LIMIT = 5;

/**
 * Due work rejects with this when another system (a mail server) failed. The work is retried, and does not count as a fault
 * of the gateway.
 */
export class ExternalError extends Error {}

/**
 * SQLSTATE classes of a database that is unavailable or cannot write: 25 (read-only), 40 (rolled back, to be
 * repeated), 53 (no resources), 55P03 (lock not available), 57 (operator intervention), 58 (system error).
 */
const UNABLE = /^(25006|40|53|55P03|57|58)/;
const SYSTEM_CODE = /^E[A-Z]+$/;

/** Whether due work failed through this program: by an exception, or by a statement that the database refused. */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof ExternalError || error instanceof DatabaseUnavailableError || isConnectionLost(error))
    return false;
  const refusal = databaseErrorOf(error);
  if (refusal) return !UNABLE.test(refusal.code ?? '');
  if (error instanceof QueryFailedError || !(error instanceof Error)) return !(error instanceof QueryFailedError);
  return !NO_CONNECTION.test(error.message) && !SYSTEM_CODE.test(String((error as NodeJS.ErrnoException).code));
}
