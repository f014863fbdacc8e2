import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';

/** SQLSTATE unique_violation: the key exists. */
export const UNIQUE_VIOLATION = '23505';

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
const DATA_FAULT = /^2[23]/;

/** PostgreSQL's own error if PostgreSQL refused the statement; TypeORM wraps it. */
export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError ? cause : undefined;
}

/** Whether a value is at fault, not the server or the connection: a retry fails again. */
export function isDataFault(error: unknown): boolean {
  return DATA_FAULT.test(databaseErrorOf(error)?.code ?? '');
}
