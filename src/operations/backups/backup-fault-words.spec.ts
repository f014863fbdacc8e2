import { BackupFault } from './archive/backup-fault';
import { backupFaultWords } from './backup-fault-words';

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('the error text in the record and event of a failed backup', () => {
  it.each([
    ['of the backup itself', new BackupFault('The gateway was stopped'), 'The gateway was stopped'],
    ['of the disk', withCode('ENOSPC: no space left on device, write', 'ENOSPC'), 'The disk of BACKUP_DIR is full'],
    [
      'of the folder',
      withCode("EACCES: permission denied, mkdir '/x'", 'EACCES'),
      'BACKUP_DIR cannot be used (EACCES)',
    ],
    [
      'of a folder that is read-only',
      withCode('EROFS: read-only file system', 'EROFS'),
      'BACKUP_DIR cannot be used (EROFS)',
    ],
    ['of the database', withCode('relation "x"', '42P01'), 'The database refused a statement (42P01)'],
    ['of a server that stops', withCode('terminating', '57P01'), 'The connection to the database ended (57P01)'],
    [
      'of a socket that closes',
      new Error('Connection terminated unexpectedly'),
      'The connection to the database ended',
    ],
    ['of a network', withCode('connect ECONNREFUSED', 'ECONNREFUSED'), 'A server could not be reached (ECONNREFUSED)'],
    [
      'of the code',
      new TypeError("Cannot read properties of undefined (reading 'x')"),
      'Unexpected error; see the log',
    ],
  ])('describes a fault %s without the message of an exception', (_, error, words) => {
    expect(backupFaultWords(error)).toBe(words);
  });
});
