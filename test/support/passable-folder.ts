import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A fresh temporary folder that every user may traverse. When root runs the tests, PostgreSQL runs as another user, and root
 * in a container may lack the right to open a closed folder to it.
 */
export async function makePassableFolder(prefix: string, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o711);
  return folder;
}
