import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries';
import { codeOf, EmbeddedPostgresError } from './errors';
import { GuardedProcess } from './guarded-process';
import type { ServerAccount } from './run-as';

const UNFINISHED = 'postgres.init-';

/** The paths of a cluster and its files. */
export function placesIn(dataDir: string) {
  const cluster = join(dataDir, 'postgres');
  return {
    dataDir,
    cluster,
    passwordFile: join(dataDir, 'postgres-password'),
    logFile: join(dataDir, 'postgres.log'),
    pidFile: join(cluster, 'postmaster.pid'),
    livenessPipe: join(cluster, 'gateway.alive'),
    libraries: join(cluster, 'gateway-libraries'),
  };
}
export type ClusterPlaces = ReturnType<typeof placesIn>;

/** initdb makes it in every cluster. */
const VERSION_FILE = 'PG_VERSION';

/** Whether the cluster exists. Also false if this user may not read its directory. */
export function hasCluster({ cluster }: Pick<ClusterPlaces, 'cluster'>): boolean {
  return existsSync(join(cluster, VERSION_FILE));
}

/**
 * Creates the cluster unless it exists.
 * @returns the password of its roles, kept in `postgres-password` (0600)
 */
export async function ensureCluster(
  places: ClusterPlaces,
  binaries: Binaries,
  account: ServerAccount,
): Promise<string> {
  await removeUnfinished(places.dataDir);
  const password = await readPassword(places.passwordFile);
  const content = await readdir(places.cluster).catch(ignoring('ENOENT'));
  if (content?.includes(VERSION_FILE)) {
    if (password !== undefined) {
      // PostgreSQL refuses a directory that others may read, which a restored copy often is.
      await chmod(places.cluster, 0o700);
      return password;
    }
    throw new EmbeddedPostgresError(
      `${places.passwordFile} is missing: restore it, it is the password of the database in ${places.cluster}.`,
    );
  }
  if (content !== undefined && content.length > 0) {
    throw new EmbeddedPostgresError(
      `${places.cluster} exists, but holds no PostgreSQL cluster: move it away, or choose another DATA_DIR.`,
    );
  }
  const usable = password ?? (await writePassword(places));
  await initialise(places, binaries, account, usable);
  return usable;
}

/** The schema's functions and indexes are in these libraries of the server. */
const LIBRARY = /^(plpgsql|pg_trgm)\.[a-z]+$/;

/**
 * Copies libraries into the cluster. Each new connection opens them, and an upgrade may remove the folder of the packages
 * while the server runs.
 */
export async function keepLibraries(
  { libraries }: ClusterPlaces,
  binaries: Binaries,
  account: ServerAccount,
): Promise<void> {
  await mkdir(libraries, { recursive: true });
  await chmod(libraries, 0o755);
  await giveTo(account, libraries);
  for (const name of (await readdir(binaries.libraries)).filter((each) => LIBRARY.test(each))) {
    const target = join(libraries, name);
    await copyFile(join(binaries.libraries, name), `${target}.new`);
    await chmod(`${target}.new`, 0o644);
    await rename(`${target}.new`, target);
  }
}

/**
 * Runs initdb in a directory beside the final one, which then gets its name: a cluster that has the name is complete,
 * whenever the machine or the process stopped.
 */
async function initialise(
  places: ClusterPlaces,
  binaries: Binaries,
  account: ServerAccount,
  password: string,
): Promise<void> {
  const directory = await mkdtemp(join(places.dataDir, UNFINISHED));
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  await giveTo(account, passwordFile);
  await giveTo(account, directory);
  const cluster = join(directory, 'cluster');
  const initdb = new GuardedProcess({
    account,
    program: binaries.initdb,
    files: directory,
    args: [
      `--pgdata=${cluster}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The built-in provider sorts alike on every machine; an upgrade of the C library or ICU cannot corrupt an index.
      // https://www.postgresql.org/docs/18/locale.html#LOCALE-PROVIDERS
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ],
  });
  const { code } = await initdb.exited;
  if (code !== 0) {
    throw new EmbeddedPostgresError(
      `The database could not be created (initdb): ${oneLine(initdb.output) || 'no message'}`,
    );
  }
  await rename(cluster, places.cluster);
  await syncDirectory(places.dataDir);
  await rm(directory, { recursive: true });
}

async function removeUnfinished(dataDir: string): Promise<void> {
  const leftovers = (await readdir(dataDir)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.all(
    leftovers.map(async (name) => rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })),
  );
}

/** @returns undefined if there is none */
export async function readPassword(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoring('ENOENT'));
  return text?.trim() || undefined;
}

async function writePassword({ dataDir, passwordFile }: ClusterPlaces): Promise<string> {
  const password = randomBytes(24).toString('hex');
  const file = await open(`${passwordFile}.new`, 'w', 0o600);
  await file.writeFile(`${password}\n`);
  await file.sync();
  await file.close();
  await rename(`${passwordFile}.new`, passwordFile);
  await syncDirectory(dataDir);
  return password;
}

async function giveTo({ user }: ServerAccount, path: string): Promise<void> {
  if (user) await chown(path, user.uid, user.gid);
}

/** A rename outlasts a power cut only once its directory is written (fsync(2)). */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync();
  await directory.close();
}

function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-5)
    .join(' · ');
}
