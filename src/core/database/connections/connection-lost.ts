import { DatabaseUnavailableError } from '../outage.service';
import { databaseErrorOf } from './data-fault';

/** SQLSTATE classes 08 (connection exception) and 57P (the server was stopped, has died, or starts). */
const ENDED = /^(08|57P)/;
/** pg and its pool say so without a code. */
const WORDS = /connection (terminated|timeout)|client (was closed|has encountered)/i;
const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Whether a statement failed because its connection to the database ended, or there was none. */
export function isConnectionLost(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  if (refusal) return ENDED.test(refusal.code ?? '');
  if (!(error instanceof Error)) return false;
  return SOCKET_CODES.has((error as NodeJS.ErrnoException).code ?? '') || WORDS.test(error.message);
}

/** The pool had no connection in time, or has ended; it says so without a code. */
export const NO_CONNECTION = /timeout exceeded|pool after/i;

/** Whether a statement took no effect for certain: the database refused it, or it was never asked. */
export function isCertainlyUndone(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  const refusal = databaseErrorOf(error);
  // With class 08 a pooler says that it has lost its own connection: what it was asked may have been done.
  if (refusal) return !refusal.code?.startsWith('08');
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' || NO_CONNECTION.test(error.message);
}
