import { rmSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE } from './readiness';

/** PostgreSQL's name for the socket of its default port; pg and libpq look for the same name. */
const SOCKET = '.s.PGSQL.5432';
/** macOS takes 103 bytes, Linux 107: `sun_path` in unix(4) and unix(7). */
const LONGEST_PATH = 100;

/**
 * The folder through which clients find the server's Unix socket: the cluster (0700), in which the server makes it. The
 * system limits the length of a socket's path, so a cluster with a longer path gets a short link in another folder, which only
 * this user may enter.
 */
export class SocketFolder {
  private constructor(
    readonly path: string,
    private readonly link: string | undefined,
  ) {}

  static async of(cluster: string): Promise<SocketFolder> {
    if (Buffer.byteLength(join(cluster, SOCKET)) <= LONGEST_PATH) return new SocketFolder(cluster, undefined);
    const link = await mkdtemp(join(Buffer.byteLength(tmpdir()) <= LONGEST_PATH / 2 ? tmpdir() : '/tmp', 'gateway-'));
    const path = join(link, 'db');
    await symlink(cluster, path);
    return new SocketFolder(path, link);
  }

  /** Connection string of the database `gateway`. */
  urlWith(password: string): string {
    return `postgres://${DATABASE}:${password}@${encodeURIComponent(this.path)}/${DATABASE}`;
  }

  close(): void {
    if (this.link !== undefined) rmSync(this.link, { recursive: true, force: true });
  }
}

/** Removes the socket and lock file of a killed server: the pid in the lock may belong to another process by now. */
export async function removeSocket(cluster: string): Promise<void> {
  for (const file of [SOCKET, `${SOCKET}.lock`]) await rm(join(cluster, file), { force: true });
}
