import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DeploymentEntity } from './deployment.entity';

/** The secrets that protect rows of the database. */
export class DeploymentSecrets {
  constructor(
    /** Keys the HMAC under which API keys are stored. */
    readonly pepper: Buffer,
    /** 32 bytes: encrypts webhook secrets at rest. */
    readonly secretsKey: Buffer,
  ) {}
}

/** A secret differs from the one that the database's rows were made with: the gateway could not read them. */
export class SecretMismatchError extends Error {}

/**
 * Reads the secrets from the configuration, or the pepper from its file under the data directory, which it creates once.
 * @throws SecretMismatchError if the database was used with other secrets
 */
export async function loadDeploymentSecrets(
  configuration: Configuration,
  dataSource: DataSource,
): Promise<DeploymentSecrets> {
  const pepper = Buffer.from(configuration.keys.pepper ?? (await pepperFile(configuration.dataDir)));
  const secretsKey = Buffer.from(
    hkdfSync('sha256', configuration.keys.secretsKey ?? pepper, '', 'messaging-gateway secrets at rest', 32),
  );
  await verify(dataSource, 'pepper', 'API_KEY_PEPPER', pepper);
  await verify(dataSource, 'secrets key', 'SECRETS_KEY', secretsKey);
  return new DeploymentSecrets(pepper, secretsKey);
}

async function pepperFile(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'pepper');
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('base64url'));
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const pepper = (await readFile(path, 'utf8')).trim();
  if (pepper.length < 16) throw new Error(`${path} is damaged: restore it from a backup, or set API_KEY_PEPPER`);
  return pepper;
}

async function verify(dataSource: DataSource, name: string, variable: string, secret: Buffer): Promise<void> {
  const rows = dataSource.getRepository(DeploymentEntity);
  const fingerprint = createHmac('sha256', secret).update('fingerprint').digest('hex');
  const key = `${name} fingerprint`;
  await rows.createQueryBuilder().insert().values({ name: key, value: fingerprint }).orIgnore().execute();
  const stored = await rows.findOneByOrFail({ name: key });
  if (stored.value === fingerprint) return;
  throw new SecretMismatchError(
    `The ${name} differs from the one that this database was used with: set ${variable} to the former value, or restore the data directory's "pepper" file`,
  );
}
