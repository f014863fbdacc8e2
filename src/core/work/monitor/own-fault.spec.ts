import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { DatabaseUnavailableError } from '../../database/outage.service';
import { ExternalError, isOwnFault } from './own-fault';

/** An error with which pg rejects. */
const refusal = (code: string) => Object.assign(new DatabaseError('refused', 7, 'error'), { code });

describe(isOwnFault.name, () => {
  it.each<[string, unknown]>([
    ['another side that failed, such as a mail server', new ExternalError('it did not answer')],
    ['a database that is away', new DatabaseUnavailableError()],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['a socket that broke', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['a database that is read-only', refusal('25006')],
    ['a disk that is full', refusal('53100')],
    ['a database that shuts down', refusal('57P01')],
    ['a statement that has to be repeated', refusal('40001')],
  ])('does not count %s as a failed try', (_, error) => expect(isOwnFault(error)).toBe(false));

  it.each<[string, unknown]>([
    ['an exception', new TypeError('x is undefined')],
    ['a statement that the database refuses', refusal('42703')],
    ['a row that violates a constraint', new QueryFailedError('INSERT', [], refusal('23514'))],
    ['something that is no error', 'thrown'],
  ])('counts %s', (_, error) => expect(isOwnFault(error)).toBe(true));
});
