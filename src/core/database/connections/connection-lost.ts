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
