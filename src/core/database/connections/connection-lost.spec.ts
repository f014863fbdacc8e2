import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { isConnectionLost } from './connection-lost';

/** An error with which pg rejects. */
const refusal = (code: string) => Object.assign(new DatabaseError('refused', 7, 'error'), { code });

describe(isConnectionLost.name, () => {
  it.each<[string, unknown]>([
    ['a socket that was reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['a server that is not there', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a socket that closed', new Error('Connection terminated unexpectedly')],
    ['a connection that took too long', new Error('Connection terminated due to connection timeout')],
    ['a client that broke before', new Error('Client has encountered a connection error and is not queryable')],
    ['a session that an administrator ended', refusal('57P01')],
    ['the same, as TypeORM has it', new QueryFailedError('SELECT', [], refusal('57P01'))],
    ['a connection exception', refusal('08006')],
  ])('is true of %s', (_, error) => expect(isConnectionLost(error)).toBe(true));

  it.each<[string, unknown]>([
    ['a statement that was cancelled', refusal('57014')],
    ['a statement that is wrong', refusal('42601')],
    ['a disk that is full', Object.assign(new Error('no space'), { code: 'ENOSPC' })],
    ['an exception', new TypeError('x is undefined')],
    ['something that is no error', 'Connection terminated'],
  ])('is false of %s', (_, error) => expect(isConnectionLost(error)).toBe(false));
});
