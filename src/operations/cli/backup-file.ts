import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileSource, type BackupSource } from '../backups/archive/backup-source';
import { parseBackupFileName, type NamedBackup } from '../backups/archive/manifest';
import { BackupFolder } from '../backups/places/backup-folder';
import { objectAddress } from '../../core/object-storage/object-address';
import type { Configuration } from '../../core/config/configuration';
import { percentDecoded } from '../../core/percent-decoded';
import { CommandFailure, EXIT } from './failure';

/** A backup that was found without the database's records. */
export interface FoundBackup extends NamedBackup {
  file: string;
  size_bytes: number;
}

/**
 * @param given a path, a name in BACKUP_DIR, the id of a backup, or the URL of an object in S3-compatible storage
 * @throws CommandFailure when there is no such file
 */
export async function findBackup({ backups }: Configuration, given: string): Promise<BackupSource> {
  if (isUrl(given)) {
    const url = new URL(given);
    const name = percentDecoded(basename(url.pathname));
    url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf('/'));
    return (await storeAt(url, backups.s3Url)).source(name);
  }
  const { directory } = backups;
  for (const path of [given, join(directory, given)]) if (existsSync(path)) return fileSource(path);
  const names = await new BackupFolder(directory).list().catch(() => []);
  const name = names.find((entry) => parseBackupFileName(entry)?.id === given);
  if (name !== undefined) return fileSource(join(directory, name));
  throw new CommandFailure(`Backup ${given} not found, neither as a path nor in ${directory}`);
}

/** The backups in a folder, or under the URL of S3-compatible storage, newest first. @throws CommandFailure if there is no such folder */
export async function listBackupFiles({ backups }: Configuration, from: string): Promise<FoundBackup[]> {
  const sizes = isUrl(from) ? await (await storeAt(new URL(from), backups.s3Url)).list() : await sizesIn(from);
  return [...sizes]
    .map(([file, size_bytes]) => ({ ...parseBackupFileName(file)!, file, size_bytes }))
    .toSorted((one, other) => other.file.localeCompare(one.file));
}

async function sizesIn(directory: string): Promise<Map<string, number>> {
  const names = await new BackupFolder(directory).list().catch((error: unknown) => {
    throw new CommandFailure(`The folder ${directory} cannot be read: ${(error as Error).message}`);
  });
  const sizes = names.map(async (name) => [name, (await stat(join(directory, name))).size] as const);
  return new Map(await Promise.all(sizes));
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** If the URL has no credentials, it uses those of BACKUP_S3_URL, provided that both have the same origin. */
async function storeAt(url: URL, configured: string | undefined) {
  const known = configured === undefined ? undefined : new URL(configured);
  if (!url.username && known?.origin === url.origin) {
    [url.username, url.password] = [known.username, known.password];
    if (!url.search) url.search = known.search;
  }
  if (!url.username)
    throw new CommandFailure(
      `${objectAddress(url)} needs credentials: https://KEY:SECRET@host/bucket/prefix, or BACKUP_S3_URL of the same host`,
      EXIT.usage,
    );
  // The SDK is loaded only if it is needed.
  const { ObjectStore } = await import('../backups/places/object-store.js');
  return new ObjectStore(url);
}
