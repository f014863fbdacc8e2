import type { Client } from 'pg';
import type { Configuration } from '../../core/config/configuration';
import { migrateAround, type DatabaseLog } from '../../core/database/data-source';
import {
  configuredSecrets,
  fingerprintsOf,
  SECRET_VARIABLES,
  type DeploymentSecrets,
} from '../../core/secrets/deployment-secrets';
import { assertAuthentic, authenticationKeyOf, isUnauthenticated } from './archive/authentication';
import { BackupFault } from './archive/backup-fault';
import { readBackup, type BackupVisitor, type ReadOptions } from './archive/backup-reader';
import type { BackupSource } from './archive/backup-source';
import { readIdentity } from './archive/encryption';
import type { BackupManifest } from './archive/manifest';
import { fileRestorer } from './archive/message-files';
import { assertEmpty, restoreTables, type AfterRestore } from './archive/restore';

const RISK =
  'An older version made this backup without authentication: any program that could write to the file may have changed its messages, keys and settings';

/** The steps of a restore, in order. The progress of each step goes from 0 to 1. */
export type RestoreStep = 'verify' | 'load' | 'compare';

export interface VerifyOptions extends Pick<ReadOptions, 'visitor' | 'signal'> {
  /** Accepts a backup of an older version, which has no HMAC, and warns of the risk. */
  acceptUnauthenticated?: (risk: string) => void;
}

export interface RestoreOptions extends Pick<VerifyOptions, 'acceptUnauthenticated'> {
  /** URL of the database server, not of a pooler. */
  url: string;
  source: BackupSource;
  log: DatabaseLog;
  onProgress?: (step: RestoreStep, share: number) => void;
}

/** Result of a restore. */
export interface Restored {
  manifest: BackupManifest;
  /** How many rows each change after the restore affected, by its name. */
  afterwards: Readonly<Record<string, number>>;
}

/**
 * Reads a backup to its end, checks its checksums and HMAC, and compares its fingerprints with the secrets of this
 * deployment.
 * @throws BackupFault that says what is wrong
 */
export async function verifyBackup(
  configuration: Configuration,
  source: BackupSource,
  { acceptUnauthenticated, visitor, signal }: VerifyOptions = {},
): Promise<BackupManifest> {
  const manifest = await readBackup(source, { identity: await identityOf(configuration), visitor, signal });
  const secrets = await configuredSecrets(configuration);
  assertSameSecrets(secrets, manifest.fingerprints);
  if (acceptUnauthenticated && isUnauthenticated(manifest)) acceptUnauthenticated(RISK);
  else assertAuthentic(manifest, authenticationKeyOf(secrets.pepper));
  return manifest;
}

/**
 * Restores a backup into an empty database and its files into the media storage. If the restore fails, the database
 * stays empty, and restored files stay in the storage: the next restore stores the same bytes under the same names.
 * @param afterwards changes to the restored rows, in this order, in the same transaction
 * @throws BackupFault that says what is wrong
 */
export async function restoreBackup(
  configuration: Configuration,
  { url, source, log, acceptUnauthenticated, onProgress }: RestoreOptions,
  afterwards: readonly AfterRestore[],
): Promise<Restored> {
  // Verifies the backup before the database is touched, and reads its schema.
  const { schema } = await verifyBackup(configuration, source, {
    acceptUnauthenticated,
    visitor: { progress: (share) => onProgress?.('verify', share) },
  });
  const changed: Record<string, number> = {};
  let manifest: BackupManifest | undefined;
  const fill = async (client: Client): Promise<void> => {
    // The file may have changed since, so it is verified again while it is loaded.
    const acceptAgain = acceptUnauthenticated && ((): void => undefined);
    const read = (visitor: BackupVisitor) =>
      verifyBackup(configuration, source, {
        acceptUnauthenticated: acceptAgain,
        visitor: { ...visitor, file: fileRestorer(configuration.media) },
      });
    manifest = await restoreTables(client, { read, onProgress });
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

function assertSameSecrets(
  secrets: DeploymentSecrets | undefined,
  fingerprints: BackupManifest['fingerprints'],
): asserts secrets is DeploymentSecrets {
  const configured = secrets ? fingerprintsOf(secrets) : {};
  const differing = Object.keys(fingerprints).filter((name) => configured[name] !== fingerprints[name]);
  if (secrets && differing.length === 0) return;
  const [name = 'pepper'] = differing;
  throw new BackupFault(
    `${SECRET_VARIABLES[name] ?? name} ${secrets ? 'differs from that of the backup' : 'is missing here'}: set it to the value used for the backup, or put the "pepper" file of its data directory into DATA_DIR`,
  );
}
