import { accessSync, chmodSync, constants, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { locateBinaries } from './binaries';
import { ensureCluster, placesIn, type ClusterPlaces } from './cluster';
import { DataDirectoryLock } from './data-directory-lock';
import { codeOf, EmbeddedPostgresError } from './errors';
import { SupervisedServer } from './supervised-server';
import { awaitPreviousServer } from './previous-server';
import { chooseAccount } from './server-account';
import { DATABASE } from './readiness';

export interface EmbeddedPostgresOptions {
  /** Created if missing. Holds the cluster (`postgres/`), its password, its log and the lock. */
  readonly dataDir: string;
  /** Logs the few lines that an operator should read. */
  readonly log: (line: string) => void;
  /** Logs faults of a server that ran; default: `log`. */
  readonly warn?: (line: string) => void;
}

/**
 * A PostgreSQL server of our own: data in the data directory, reachable from this machine only, running exactly as long
 * as this process does. `stop` ends it, and so does the death of this process, however it dies; signals to this process
 * or its group do not. A server that ends by itself is started again, on the same port.
 */
export class EmbeddedPostgres {
  /** Connection string of the database `gateway`, password included. */
  readonly url: string;
  /** On 127.0.0.1; another one at each start. */
  readonly port: number;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly server: SupervisedServer,
    private readonly lock: DataDirectoryLock,
    private readonly places: ClusterPlaces,
    password: string,
  ) {
    this.port = server.port;
    this.url = `postgres://${DATABASE}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
  }

  /**
   * Settles when the database accepts connections: on a first start after making it, after kill -9 or a power cut after
   * its recovery.
   * @throws DataDirectoryInUseError if another process works in the directory
   * @throws EmbeddedPostgresError in one line for the operator: no binaries for this machine, closed folders, a damaged cluster
   */
  static async start({ dataDir, log, warn = log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const places = placesIn(makeDirectory(resolve(dataDir)));
    const lock = DataDirectoryLock.acquire(places.dataDir);
    try {
      const binaries = locateBinaries();
      await awaitPreviousServer(places, log);
      const account = chooseAccount({ ...places, binaries });
      const password = await ensureCluster(places, binaries, account);
      const server = await SupervisedServer.start({ places, binaries, account, password }, { log, warn });
      return new EmbeddedPostgres(server, lock, places, password);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Shuts the server down and frees the data directory. Close connection pools first: open ones are cut. */
  async stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    await this.stopping;
  }

  private async shutDown(): Promise<void> {
    await this.server.stop();
    // No process needs the pipe now, and a plain copy of the directory would wait at a named pipe for ever.
    rmSync(this.places.livenessPipe, { force: true });
    this.lock.release();
  }
}

/**
 * Makes the directory passable for the system user that the server runs as, and readable for ours only.
 * @returns its path without symbolic links, because the folders on the way to it count
 */
function makeDirectory(dataDir: string): string {
  try {
    // The mode given to mkdir is subject to the umask.
    if (mkdirSync(dataDir, { recursive: true }) !== undefined) chmodSync(dataDir, 0o711);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory ${dataDir} cannot be written (${codeOf(error)}): set DATA_DIR to a directory that this user may write to.`,
      { cause: error },
    );
  }
}
