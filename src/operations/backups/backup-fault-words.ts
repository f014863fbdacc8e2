import { BackupFault, networkCodeOf } from './archive/backup-fault';

const PG_LOST = /^(Connection terminated|Client has encountered a connection error)/;
/** No class of PostgreSQL begins with E, as the codes of the system do. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

/**
 * The error text for records and events: our own sentence with the error code. Messages of Node, the SDK and PostgreSQL
 * name calls, paths and statements, so they go to the log only.
 */
export function backupFaultWords(error: unknown): string {
  if (error instanceof BackupFault) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (isConnectionLost(error)) return `The connection to the database ended${code === undefined ? '' : ` (${code})`}`;
  if (code === 'ENOSPC') return 'The disk of BACKUP_DIR is full';
  if (code !== undefined && SQLSTATE.test(code)) return `The database refused a statement (${code})`;
  const networkCode = networkCodeOf(error);
  if (networkCode) return `A server could not be reached (${networkCode})`;
  if (code !== undefined && SYSTEM_CODE.test(code)) return `BACKUP_DIR cannot be used (${code})`;
  return 'Unexpected error; see the log';
}

/** The server stopped, died, or ended the session. pg's error for a closed socket has no code. */
function isConnectionLost(error: unknown): boolean {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return /^(57P0[1-5]|08...|ECONNRESET|EPIPE)$/.test(code) || PG_LOST.test(message);
}
