import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A fresh temporary folder that every user may pass: where root runs the tests, PostgreSQL is another
 * user, and root in a container may not be allowed to show it its files in a closed folder.
 */
export async function makePassableFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o711);
  return folder;
}
