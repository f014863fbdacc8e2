import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#embedded-postgres';
import type { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { SHORTEST_SECRET } from '../config/parsers';
import { DeploymentEntity } from './deployment.entity';

const NAMESPACE_LENGTH = 12;

/** The secrets that protect rows of the database. */
export class DeploymentSecrets {
  constructor(
    /** Keys the HMAC under which API keys are stored. */
    readonly pepper: Buffer,
    /** 32 bytes: encrypts webhook secrets at rest. */
    readonly secretsKey: Buffer,
  ) {}

  /** Keeps the keys of deployments that share a Redis apart. All instances of a deployment have the same pepper. */
  get namespace(): string {
    return hmacOf(this.pepper, 'redis').slice(0, NAMESPACE_LENGTH);
  }
}

/** A secret differs from the one that the database's rows were made with, so the gateway could not read them. */
export class SecretMismatchError extends Error {}

/**
 * Reads the secrets from the configuration. Without a configured pepper it reads the pepper's file under the data directory,
 * which it creates once.
 * @throws SecretMismatchError if the database was used with other secrets
 */
export async function loadDeploymentSecrets(
  configuration: Configuration,
  dataSource: DataSource,
): Promise<DeploymentSecrets> {
  const secrets = secretsOf(configuration, configuration.keys.pepper ?? (await pepperFile(configuration.dataDir)));
  for (const [name, secret] of namedSecrets(secrets)) await verify(dataSource, name, secret);
  return secrets;
}

/** Where the pepper is kept when API_KEY_PEPPER is unset. */
export function pepperPath(dataDir: string): string {
  return join(dataDir, 'pepper');
}

/** Where the first API keys are kept when they cannot be shown on a terminal. */
export function firstKeysPath(dataDir: string): string {
  return join(dataDir, 'first-keys');
}

/** The variable that sets each secret, by the secret's name. */
export const SECRET_VARIABLES: Readonly<Record<string, string>> = {
  pepper: 'API_KEY_PEPPER',
  'secrets key': 'SECRETS_KEY',
};

/**
 * The secrets that a start would use; undefined if there is no pepper yet. It creates none.
 * @throws when the file of the pepper cannot be read or is damaged
 */
export async function configuredSecrets(configuration: Configuration): Promise<DeploymentSecrets | undefined> {
  const path = pepperPath(configuration.dataDir);
  const { pepper } = configuration.keys;
  if (pepper === undefined && !existsSync(path)) return undefined;
  return secretsOf(configuration, pepper ?? (await readPepper(path)));
}

/** Fingerprints of {@link configuredSecrets}, by name; none without a pepper. @throws as it does */
export async function configuredFingerprints(configuration: Configuration): Promise<Readonly<Record<string, string>>> {
  const secrets = await configuredSecrets(configuration);
  return secrets ? fingerprintsOf(secrets) : {};
}

export function fingerprintsOf(secrets: DeploymentSecrets): Readonly<Record<string, string>> {
  return Object.fromEntries(namedSecrets(secrets).map(([name, secret]) => [name, fingerprintOf(secret)]));
}

function secretsOf({ keys }: Configuration, pepperText: string): DeploymentSecrets {
  const pepper = Buffer.from(pepperText);
  const secretsKey = hkdfSync('sha256', keys.secretsKey ?? pepper, '', 'messaging-gateway secrets at rest', 32);
  return new DeploymentSecrets(pepper, Buffer.from(secretsKey));
}

function namedSecrets({ pepper, secretsKey }: DeploymentSecrets): [name: string, secret: Buffer][] {
  return [
    ['pepper', pepper],
    ['secrets key', secretsKey],
  ];
}

function fingerprintOf(secret: Buffer): string {
  return hmacOf(secret, 'fingerprint');
}

function hmacOf(secret: Buffer, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

async function pepperFile(dataDir: string): Promise<string> {
  makeFolder(resolve(dataDir));
  const path = pepperPath(dataDir);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(randomBytes(32).toString('base64url'));
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readPepper(path);
}

async function readPepper(path: string): Promise<string> {
  const pepper = (await readFile(path, 'utf8')).trim();
  if (pepper.length < SHORTEST_SECRET)
    throw new Error(`${path} is damaged: restore it from a backup, or set API_KEY_PEPPER`);
  return pepper;
}

async function verify(dataSource: DataSource, name: string, secret: Buffer): Promise<void> {
  const rows = dataSource.getRepository(DeploymentEntity);
  const fingerprint = fingerprintOf(secret);
  const key = `${name} fingerprint`;
  await rows.createQueryBuilder().insert().values({ name: key, value: fingerprint }).orIgnore().execute();
  const stored = await rows.findOneByOrFail({ name: key });
  if (stored.value === fingerprint) return;
  throw new SecretMismatchError(
    `The ${name} is not the one this database was used with: set ${SECRET_VARIABLES[name]} to the previous value, or restore the "pepper" file of the data directory`,
  );
}
