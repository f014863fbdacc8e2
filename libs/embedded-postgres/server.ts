import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Binaries } from './binaries';
import type { ClusterPlaces } from './cluster';
import { codeOf, EmbeddedPostgresError } from './errors';
import { GuardedProcess } from './guarded-process';
import { awaitDatabase, INVALID_PASSWORD } from './readiness';
import type { ServerAccount } from './run-as';
import { ServerLog } from './server-log';
import { serverArguments } from './server-settings';

const PORT_ATTEMPTS = 5;

export interface ServerOptions {
  readonly places: ClusterPlaces;
  readonly binaries: Binaries;
  readonly account: ServerAccount;
  readonly password: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Aborts the start: the server is stopped, and the start rejects. */
  readonly signal?: AbortSignal;
}

export interface RunningServer {
  readonly port: number;
  readonly process: GuardedProcess;
}

/** Starts the server of a complete cluster on 127.0.0.1; settles when the database accepts connections. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const log = new ServerLog(options.places.logFile);
    try {
      const server = await tryPort(options, port, log);
      if (server) return server;
      // Another process took the port between our check and the server's bind.
      const portTaken = options.port === undefined && log.text().includes('could not bind') && attempt < PORT_ATTEMPTS;
      if (!portTaken)
        throw new EmbeddedPostgresError(
          `The embedded PostgreSQL did not start: ${log.complaints()} (${options.places.logFile})`,
        );
    } finally {
      log.close();
    }
  }
}

/** Undefined if the server ended before it was ready. */
async function tryPort(options: ServerOptions, port: number, log: ServerLog): Promise<RunningServer | undefined> {
  const { places, binaries, account, password, signal } = options;
  signal?.throwIfAborted();
  const server = new GuardedProcess({
    account,
    program: binaries.postgres,
    files: places.cluster,
    args: serverArguments(places.cluster, port),
    logDescriptor: log.descriptor,
    livenessPipe: places.livenessPipe,
  });
  const ended = new AbortController();
  void server.exited.then(() => ended.abort());
  const giveUp = () => void stopServer(server);
  signal?.addEventListener('abort', giveUp);
  try {
    await awaitDatabase(port, password, ended.signal);
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
  return ended.signal.aborted ? undefined : { port, process: server };
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
