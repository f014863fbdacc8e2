import type { Client } from 'pg';
import type { Configuration } from '../../core/config/configuration';
import { migrateAround, type DatabaseLog } from '../../core/database/data-source';
import { configuredFingerprints, SECRET_VARIABLES } from '../../core/secrets/deployment-secrets';
import { BackupFault, readBackup } from './archive/backup-reader';
import { readIdentity } from './archive/encryption';
import type { BackupManifest } from './archive/manifest';
import type { OnProgress } from './archive/progress';
import { assertEmpty, restoreTables, type AfterRestore } from './archive/restore';

/** What a restore does, one after the other: each goes from 0 to 1. */
export type RestoreStep = 'verify' | 'load' | 'compare';

export interface RestoreOptions {
  /** Of the server itself, not of a pooler. */
  url: string;
  path: string;
  log: DatabaseLog;
  onProgress?: (step: RestoreStep, share: number) => void;
}

/** What a restore did. */
export interface Restored {
  manifest: BackupManifest;
  /** By the name of each step after the restore: how many rows it changed. */
  afterwards: Readonly<Record<string, number>>;
}

/**
 * Reads a backup to its end and compares everything with its checksums, and the secrets of this deployment with its
 * fingerprints.
 * @throws BackupFault that names what is wrong
 */
export async function verifyBackup(
  configuration: Configuration,
  path: string,
  onProgress?: OnProgress,
): Promise<BackupManifest> {
  const manifest = await readBackup(path, await identityOf(configuration), { progress: onProgress });
  await assertSameSecrets(configuration, manifest.fingerprints);
  return manifest;
}

/**
 * Restores a backup into an empty database, which it leaves empty when anything fails.
 * @param afterwards what is done with the rows before anything works with them, in this order
 * @throws BackupFault that names what is wrong
 */
export async function restoreBackup(
  configuration: Configuration,
  { url, path, log, onProgress }: RestoreOptions,
  afterwards: readonly AfterRestore[],
): Promise<Restored> {
  // Before the database is touched, and to know the schema that the backup has.
  const { schema } = await verifyBackup(configuration, path, (share) => onProgress?.('verify', share));
  const changed: Record<string, number> = {};
  let manifest: BackupManifest | undefined;
  const fill = async (client: Client): Promise<void> => {
    manifest = await restoreTables(client, { path, identity: await identityOf(configuration), onProgress });
  };
  await migrateAround(url, schema, log, { check: assertEmpty, fill, finish: hold });
  return { manifest: manifest!, afterwards: changed };

  async function hold(client: Client): Promise<void> {
    for (const { name, statement } of afterwards) changed[name] = (await client.query(statement)).rowCount ?? 0;
  }
}

async function identityOf({ backups: { keyFile } }: Configuration): Promise<string | undefined> {
  return keyFile === undefined ? undefined : readIdentity(keyFile);
}

async function assertSameSecrets(
  configuration: Configuration,
  fingerprints: BackupManifest['fingerprints'],
): Promise<void> {
  const configured = await configuredFingerprints(configuration);
  const differing = Object.keys(fingerprints).filter((name) => configured[name] !== fingerprints[name]);
  if (differing.length === 0) return;
  const names = differing.map((name) => SECRET_VARIABLES[name] ?? name);
  const how = Object.keys(configured).length === 0 ? 'is missing here' : 'differs from the one of the backup';
  throw new BackupFault(
    `${names[0]} ${how}: set it to the value that the backup was made with, or put the "pepper" file of its data directory into DATA_DIR`,
  );
}
