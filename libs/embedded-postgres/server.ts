import type { Binaries } from './binaries';
import type { ClusterPlaces } from './cluster';
import { codeOf, EmbeddedPostgresError } from './errors';
import { GuardedProcess } from './guarded-process';
import { awaitDatabase, INVALID_PASSWORD } from './readiness';
import type { ServerAccount } from './run-as';
import { ServerLog } from './server-log';

/**
 * The settings of the server, given on its command line at every start, so that an old cluster runs like a new one.
 * They suit one gateway on a small machine. https://www.postgresql.org/docs/18/runtime-config.html
 */
const SERVER_SETTINGS = {
  // No TCP port: a Unix socket in the cluster, its working directory, which is closed to other users (socket-folder.ts).
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  // Part of the socket's name.
  port: '5432',
  max_connections: '100',
  // A commit that was acknowledged is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  random_page_cost: '1.1',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  // Short statements gain nothing from compilation or parallel workers; and containers give 64 MB of /dev/shm.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Reads come from memory, so no worker processes for them.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // A failed statement may hold the text of a person's message.
  log_min_error_statement: 'panic',
} as const satisfies Record<string, string>;

export interface ServerOptions {
  readonly places: ClusterPlaces;
  readonly binaries: Binaries;
  readonly account: ServerAccount;
  readonly password: string;
  /** Where its Unix socket is found. */
  readonly socketFolder: string;
  /** Aborts the start: the server is stopped, and the start rejects. */
  readonly signal?: AbortSignal;
}

/** Starts the server of a complete cluster; settles when the database accepts connections. */
export async function startServer(options: ServerOptions): Promise<GuardedProcess> {
  const { logFile } = options.places;
  const log = new ServerLog(logFile);
  try {
    const server = await tryToStart(options, log);
    if (server) return server;
    throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start: ${log.complaints()} (${logFile})`);
  } finally {
    log.close();
  }
}

/** Undefined if the server ended before it was ready. */
async function tryToStart(options: ServerOptions, log: ServerLog): Promise<GuardedProcess | undefined> {
  const { places, binaries, account, password, socketFolder, signal } = options;
  signal?.throwIfAborted();
  const server = new GuardedProcess({
    account,
    program: binaries.postgres,
    files: places.cluster,
    args: serverArguments(places),
    logDescriptor: log.descriptor,
    livenessPipe: places.livenessPipe,
  });
  const ended = new AbortController();
  void server.exited.then(() => ended.abort());
  const giveUp = () => void stopServer(server);
  signal?.addEventListener('abort', giveUp);
  try {
    await awaitDatabase(socketFolder, password, ended.signal);
  } catch (error) {
    if (!ended.signal.aborted) {
      await stopServer(server);
      const wrongPassword = codeOf(error) === INVALID_PASSWORD;
      const reason = wrongPassword
        ? `${places.passwordFile} is not the password of the database in ${places.cluster}`
        : (error as Error).message;
      throw new EmbeddedPostgresError(`The embedded PostgreSQL cannot be used: ${reason}`, { cause: error });
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return ended.signal.aborted ? undefined : server;
}

/**
 * A fast shutdown (SIGINT): open transactions are rolled back, committed data is checkpointed. A server that takes
 * longer than `timeoutMilliseconds` is shut down immediately (SIGQUIT), which costs the next start a recovery, no data.
 */
export async function stopServer(server: GuardedProcess, timeoutMilliseconds = 30_000): Promise<void> {
  server.signal('SIGINT');
  const timer = setTimeout(() => server.signal('SIGQUIT'), timeoutMilliseconds);
  await server.exited;
  clearTimeout(timer);
}

/** The arguments of `postgres`. */
function serverArguments({ cluster, libraries }: ClusterPlaces): string[] {
  // A colon would end the folder's name.
  const libraryPath = libraries.includes(':') ? '$libdir' : `${libraries}:$libdir`;
  const settings = { ...SERVER_SETTINGS, dynamic_library_path: libraryPath };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
