import { DatabaseError } from 'pg';

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
const DATA_FAULT = /^2[23]/;

/** Whether something is wrong with a value, not with the server or the connection: trying again changes nothing. */
export function isDataFault(error: unknown): boolean {
  return error instanceof DatabaseError && DATA_FAULT.test(error.code ?? '');
}
