import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupDto } from '../../src/operations/backups/backup.dto';
import { eventually } from './eventually';
import type { TestGateway } from './gateway';

/**
 * Makes a backup through the API.
 * @param folder BACKUP_DIR of the gateway
 * @param request the body of `POST /admin/backups`
 */
export async function backUp(
  gateway: TestGateway,
  folder: string,
  request?: object,
): Promise<{ backup: BackupDto; path: string }> {
  const { id } = (await gateway.api<BackupDto>('POST', '/admin/backups', request)).body.data;
  const backup = await eventually('the backup is whole', async () => {
    const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
    expect(data.status).toBe('completed');
    return data;
  });
  const name = (await readdir(folder)).find((each) => each.includes(id))!;
  return { backup, path: join(folder, name) };
}
