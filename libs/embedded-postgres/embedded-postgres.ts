import { setTimeout as delay } from 'node:timers/promises';
import { accessSync, chmodSync, constants, realpathSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { locateBinaries } from './binaries';
import { ensureCluster, keepLibraries, placesIn, readPassword, type ClusterPlaces } from './cluster';
import { DataDirectoryLock, makeFolder } from './data-directory-lock';
import { codeOf, DataDirectoryInUseError, EmbeddedPostgresError } from './errors';
import { accepts } from './readiness';
import { SupervisedServer } from './supervised-server';
import { awaitPreviousServer } from './previous-server';
import { chooseAccount } from './server-account';
import { SocketFolder } from './socket-folder';

export interface EmbeddedPostgresOptions {
  /** Created if missing. Holds the cluster (`postgres/`), its password, its log and the lock. */
  readonly dataDir: string;
  /** Logs the few lines that an operator should read. */
  readonly log: (line: string) => void;
  /** Logs faults of a server after its start; default: `log`. */
  readonly warn?: (line: string) => void;
}

/** The address of a server that another process runs. */
export interface RunningPostgres {
  /** Connection string of the database `gateway`, password included. */
  readonly url: string;
  /** Removes the folder of the socket. The server keeps running. */
  close(): void;
}

/** How long a process that holds the data directory may take to start its server, in milliseconds. */
const RUNNING_MS = 30_000;
const POLL_MS = 100;

/**
 * A PostgreSQL server of our own: data in the data directory, reachable by this user alone (a Unix socket, no TCP port),
 * running exactly as long as this process does. `stop` ends it, and so does the death of this process, however it dies; signals to this process
 * or its group do not. A server that ends by itself is started again, at the same address.
 */
export class EmbeddedPostgres {
  /** Connection string of the database `gateway`, password included. */
  readonly url: string;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly server: SupervisedServer,
    private readonly lock: DataDirectoryLock,
    private readonly places: ClusterPlaces,
    private readonly socket: SocketFolder,
    password: string,
  ) {
    this.url = socket.urlWith(password);
  }

  /**
   * Settles when the database accepts connections. A first start creates it; a start after kill -9 or a power cut
   * recovers it.
   * @throws DataDirectoryInUseError if another process works in the directory
   * @throws EmbeddedPostgresError in one line for the operator: no binaries for this machine, closed folders, a damaged cluster
   */
  static async start({ dataDir, log, warn = log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const places = placesIn(makeDirectory(resolve(dataDir)));
    const lock = DataDirectoryLock.acquire(places.dataDir);
    let socket: SocketFolder | undefined;
    try {
      const binaries = locateBinaries();
      await awaitPreviousServer(places, log);
      const account = chooseAccount({ ...places, binaries });
      const password = await ensureCluster(places, binaries, account);
      await keepLibraries(places, binaries, account);
      socket = await SocketFolder.of(places.cluster);
      const options = { places, binaries, account, password, socketFolder: socket.path };
      const server = await SupervisedServer.start(options, { log, warn });
      return new EmbeddedPostgres(server, lock, places, socket, password);
    } catch (error) {
      socket?.close();
      lock.release();
      throw error;
    }
  }

  /**
   * Finds the server that another process of this user runs in the data directory.
   * @throws DataDirectoryInUseError when it does not accept connections within half a minute
   */
  static async running(dataDir: string): Promise<RunningPostgres> {
    const places = placesIn(realpathSync(resolve(dataDir)));
    const socket = await SocketFolder.of(places.cluster);
    for (const since = performance.now(); performance.now() - since < RUNNING_MS; await delay(POLL_MS)) {
      const password = await readPassword(places.passwordFile);
      const url = password && socket.urlWith(password);
      if (url && (await accepts(url))) return { url, close: () => socket.close() };
    }
    socket.close();
    throw new DataDirectoryInUseError(places.dataDir);
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
    this.socket.close();
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
    if (makeFolder(resolve(dataDir))) chmodSync(dataDir, 0o711);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return realpathSync(dataDir);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory ${dataDir} cannot be written (${codeOf(error)}): set DATA_DIR to a directory that this user may write to.`,
      { cause: error },
    );
  }
}
