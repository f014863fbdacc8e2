import { DatabaseUnavailableError } from '../outage.service';
import { databaseErrorOf } from './data-fault';

/** SQLSTATE classes 08 (connection exception) and 57P (the server was stopped, has died, or starts). */
const ENDED = /^(08|57P)/;
/** pg and its pool report a lost connection without a code. */
const WORDS = /connection (terminated|timeout)|client (was closed|has encountered)/i;
const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Whether a statement failed because its connection to the database ended, or there was none. */
export function isConnectionLost(error: unknown): boolean {
  const refusal = databaseErrorOf(error);
  if (refusal) return ENDED.test(refusal.code ?? '');
  if (!(error instanceof Error)) return false;
  return SOCKET_CODES.has((error as NodeJS.ErrnoException).code ?? '') || WORDS.test(error.message);
}

/** The pool's errors, which have no code: no connection became free in time, or the pool has ended. */
export const NO_CONNECTION = /timeout exceeded|pool after/i;

/** Whether a statement certainly took no effect: the database refused it, or never received it. */
export function isCertainlyUndone(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  const refusal = databaseErrorOf(error);
  // A pooler reports class 08 when it loses its own connection: the statement may have taken effect.
  if (refusal) return !refusal.code?.startsWith('08');
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' || NO_CONNECTION.test(error.message);
}
