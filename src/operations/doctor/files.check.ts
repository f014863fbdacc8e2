import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { placesIn } from '#embedded-postgres';
import type { Configuration } from '../../core/config/configuration';
import { firstKeysPath, pepperPath } from '../../core/secrets/deployment-secrets';

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o077;
/** Keys of certificates and mounted secrets are often given to a group of their own. */
const STRANGERS_READ = 0o007;
const FIRST_KEYS_MS = 24 * 3_600_000;

/** Checks that other users can neither read the gateway's secrets nor write to its folders. */
export class FilesCheck implements DoctorCheck {
  readonly name = 'files';
  readonly variables = ['DATA_DIR', 'BACKUP_DIR', 'BACKUP_KEY_FILE', 'TLS_KEY_FILE'];

  constructor(private readonly configuration: Pick<Configuration, 'dataDir' | 'backups' | 'http'>) {}

  async check(): Promise<DoctorFinding[]> {
    const { dataDir, backups, http } = this.configuration;
    const { cluster, passwordFile } = placesIn(dataDir);
    const secrets = [pepperPath(dataDir), passwordFile, firstKeysPath(dataDir), cluster];
    const given = [backups.keyFile, http.tls?.keyFile].filter((path) => path !== undefined);
    const found = await Promise.all([
      ...secrets.map((path) => lookAt(path, OTHERS_READ)),
      ...given.map((path) => lookAt(path, STRANGERS_READ)),
      lookAt(dataDir, OTHERS_WRITE),
      lookAt(backups.directory, OTHERS_WRITE),
      oldFirstKeys(firstKeysPath(dataDir)),
    ]);
    const findings = found.flat();
    return findings.length > 0 ? findings : [healthy(this.name, 'secrets and data are closed to other users')];
  }
}

async function lookAt(path: string, open: number): Promise<DoctorFinding[]> {
  const stats = await statOf(path);
  if (!stats || (stats.mode & open) === 0) return [];
  return [finding('files.open', `${path} has mode ${(stats.mode & 0o777).toString(8).padStart(4, '0')}`)];
}

async function oldFirstKeys(path: string): Promise<DoctorFinding[]> {
  const stats = await statOf(path);
  return stats && Date.now() - stats.mtimeMs > FIRST_KEYS_MS
    ? [finding('files.first-keys', `${path} is still there`)]
    : [];
}

/** Undefined if the file does not exist or this user cannot look at it; another check reports the latter. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined);
}
