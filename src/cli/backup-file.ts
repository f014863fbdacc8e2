import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '../core/config/configuration';
import { CommandFailure } from './failure';

/** @param given a path, a name in BACKUP_DIR, or the id of a backup @throws CommandFailure when there is no such file */
export async function findBackupFile({ backups: { directory } }: Configuration, given: string): Promise<string> {
  for (const path of [given, join(directory, given)]) if (existsSync(path)) return path;
  const names = await readdir(directory).catch(() => []);
  const name = names.find((entry) => given.startsWith('bak_') && entry.includes(`-${given}.`));
  if (name !== undefined && !name.endsWith('.partial')) return join(directory, name);
  throw new CommandFailure(`There is no backup ${given}, neither as a path nor in ${directory}`);
}
