import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
const DATA_FAULT = /^2[23]/;

/** What PostgreSQL says of a failed statement, if it is what failed it: TypeORM wraps it in an error of its own. */
export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError ? cause : undefined;
}

/** Whether something is wrong with a value, not with the server or the connection: trying again changes nothing. */
export function isDataFault(error: unknown): boolean {
  return DATA_FAULT.test(databaseErrorOf(error)?.code ?? '');
}
