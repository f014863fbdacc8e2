/** The environment of a PostgreSQL program: none of the gateway's secrets, no PG* variable, no locale. */
export const CLEAN_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

/** The account that runs the programs of PostgreSQL. */
export interface ServerAccount {
  /** The user; default: this process's own. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Set if a folder on the way to the programs or to the cluster is closed to the user. */
  readonly view?: FileSystemView;
}

/** The file system as the programs of PostgreSQL see it: closed folders hold nothing but PostgreSQL's own files. */
export interface FileSystemView {
  /** Absolute paths without symbolic links, none below another. */
  readonly closedFolders: readonly string[];
  /** The folder of the programs and their libraries. */
  readonly programs: string;
}

/**
 * Covers each closed folder with an empty one that anyone may pass, and shows in it, under their own paths, the two
 * folders that PostgreSQL needs. They are opened before they are covered, because mount(8) could not find them
 * afterwards; `--no-canonicalize` keeps it from looking for them by name.
 *
 * It runs as root in its own mount namespace: no other process sees these mounts, and the kernel removes them with the
 * last process of the server, however that ends. `slave` passes what the machine unmounts on to the namespace,
 * which would otherwise keep the device busy; nothing passes the other way. https://man7.org/linux/man-pages/man7/mount_namespaces.7.html
 */
const COVER_CLOSED_FOLDERS = `
set -e
umask 022
programs=$1 files=$2
shift 2
exec 4<"$programs" 5<"$files"
while [ "$1" != -- ]; do
  mount --no-mtab -t tmpfs -o mode=755,nosuid,nodev,size=1m tmpfs "$1"
  shift
done
shift
mkdir -p "$programs" "$files"
mount --no-mtab --no-canonicalize --rbind /proc/self/fd/4 "$programs"
mount --no-mtab --no-canonicalize --rbind /proc/self/fd/5 "$files"
exec 4<&- 5<&-
exec "$@"
`;

/**
 * A command line, and the options to spawn it with, that run as the account. The process that is spawned becomes the
 * command by `exec`.
 * @param files the folder that the command works on
 */
export function runAs({ user, view }: ServerAccount, command: readonly string[], files?: string) {
  const words = user && view ? inView(view, files ?? view.programs, withoutPrivileges(user, command)) : command;
  const [file = '', ...args] = words;
  return { file, args, options: { cwd: '/', env: CLEAN_ENVIRONMENT, ...(view ? {} : user) } };
}

function inView({ closedFolders, programs }: FileSystemView, files: string, command: readonly string[]): string[] {
  const namespace = ['unshare', '--mount', '--propagation', 'slave', '--'];
  const cover = ['/bin/sh', '-c', COVER_CLOSED_FOLDERS, 'sh', programs, files, ...closedFolders, '--'];
  return [...namespace, ...cover, ...command];
}

/**
 * The kernel takes every capability from a process of root that becomes another user, and `--no-new-privs` keeps
 * programs with the setuid bit from giving any back.
 */
function withoutPrivileges({ uid, gid }: { uid: number; gid: number }, command: readonly string[]): string[] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--', ...command];
}
