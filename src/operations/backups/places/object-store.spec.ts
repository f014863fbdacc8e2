import { BackupFault } from '../archive/backup-fault';
import { ObjectStore } from './object-store';

describe(ObjectStore.name, () => {
  it('reports an unreachable storage, without its credentials', async () => {
    const sut = new ObjectStore(new URL('http://KEY:SECRET@127.0.0.1:9/backups'));
    const failure = await sut.list().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackupFault);
    expect((failure as Error).message).toMatch(/^The storage cannot be reached( \(ECONNREFUSED\))?$/);
  });
});
