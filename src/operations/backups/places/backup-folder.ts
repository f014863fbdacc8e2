import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupFault } from '../archive/backup-fault';
import { fileSource, type BackupSource } from '../archive/backup-source';
import { parseBackupFileName } from '../archive/manifest';

/** The name sorts after those of the backups. */
const ID_FILE = 'this-folder.id';
const ID = /^[0-9a-f-]{36}$/;
const PARTIAL = '.partial';

/** A folder of backups. It touches only regular files directly in the folder whose names are those of backups. */
export class BackupFolder {
  constructor(readonly path: string) {}

  /** The id that records use for this folder on any machine and path; undefined before the first backup. */
  async id(): Promise<string | undefined> {
    const path = join(this.path, ID_FILE);
    if (!(await isFile(path))) return undefined;
    const id = (await readFile(path, 'utf8')).trim();
    if (ID.test(id)) return id;
    throw new BackupFault(`${path} is damaged: it has no id. Delete it; the next backup creates a new one`);
  }

  /** Creates the folder and its id if they are missing. Only the holder of the backup lock may call it. */
  async prepare(): Promise<string> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const known = await this.id();
    if (known !== undefined) return known;
    const id = randomUUID();
    await writeFile(join(this.path, ID_FILE), `${id}\n`, { flag: 'wx', mode: 0o600, flush: true });
    return id;
  }

  /** Removes partial files that a crash left. Only the holder of the backup lock may call it. */
  async removePartial(): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (!name.endsWith(PARTIAL) || !parseBackupFileName(name.slice(0, -PARTIAL.length))) continue;
      await rm(join(this.path, name), { force: true });
    }
  }

  /** The names of its backups. */
  async list(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => parseBackupFileName(name));
  }

  has(name: string): Promise<boolean> {
    return isFile(this.pathOf(name));
  }

  source(name: string): BackupSource {
    const file = fileSource(this.pathOf(name));
    const size = async (): Promise<number> => {
      if (!(await this.has(name))) throw new BackupFault(`The file ${name} is missing`);
      return file.size();
    };
    return { ...file, size };
  }

  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }

  /** @throws if the name is not a backup's, such as a path */
  pathOf(name: string): string {
    if (!parseBackupFileName(name)) throw new Error(`${name} is not the name of a backup`);
    return join(this.path, name);
  }
}

/** False for a link, which may lead out of the folder. */
async function isFile(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ?? false;
}
