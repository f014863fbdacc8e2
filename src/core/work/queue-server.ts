import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  createRedisBackend,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  setDefaultBackendFactory,
  type BackendFactory,
  type QueueOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { within } from '../clock/within';
import { HeardClient } from '../database/connections/heard-client';

/** Pause before the next attempt to connect, in milliseconds. BullMQ would wait up to 20 s for Redis. */
export const RETRY_MS = 1_000;
/** A PostgreSQL that cannot be reached for so long fails the start. */
const OPEN_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** A connection on which nothing came for this long is asked whether it still lives (TCP keep-alive), in milliseconds. */
const KEEP_ALIVE_MS = 10_000;
/** A namespace of its own, which BullMQ migrates itself. */
const SCHEMA = 'bullmq';

type PostgresQueueOptions = ConstructorParameters<typeof PostgresQueueBackend>[2];

/** A Redis that hangs is left after half a second. */
const REDIS = { disconnectTimeout: 500, keepAlive: KEEP_ALIVE_MS, retryStrategy: () => RETRY_MS };
/** A job is not added where there is no connection, or where Redis does not take it in time: the sweep finds its rows. */
const REDIS_QUEUE = { ...REDIS, enableOfflineQueue: false, commandTimeout: 5_000 };
const REDIS_WORKER = { ...REDIS, maxRetriesPerRequest: null };

/** Two for statements, one that listens: all queues and workers of a process share them. */
const POSTGRES_CONNECTIONS = 3;

export interface QueueServerOptions {
  /** The database in use, embedded or not, without a pooler. The queues live in a schema of their own there, unless there is a Redis. */
  databaseUrl: string;
  redisUrl?: string | undefined;
}

/** Where the queues of an application are: in its Redis, or in its PostgreSQL. */
export interface QueueServer {
  readonly backend: BackendFactory;
  /** To be called after the queues and workers are closed. */
  close(): Promise<void>;
}

/** @throws when PostgreSQL cannot be reached; a Redis may be away */
export async function openQueueServer({ databaseUrl, redisUrl }: QueueServerOptions): Promise<QueueServer> {
  return redisUrl === undefined ? openPostgres(databaseUrl) : redisServer(redisUrl);
}

/** Options of all queues. A finished job is removed at once. */
export function queueOptions(server: QueueServer): QueueOptions {
  return {
    // The default backend factory finds the server in it. Nest hands it on to the workers.
    connection: server,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    streams: { events: { maxLen: 10 } },
  };
}

/** BullMQ knows one factory in a process; two applications of a process may have servers that differ. */
const backendOfServer: BackendFactory = (name, options, role) =>
  (options.connection as unknown as QueueServer).backend(name, options, role);

setDefaultBackendFactory(backendOfServer);

/** One connection for all queues, one for all workers; BullMQ opens another for each worker's wait. */
function redisServer(url: string): QueueServer {
  const [queues, workers] = [new Redis(url, REDIS_QUEUE), new Redis(url, REDIS_WORKER)];
  for (const client of [queues, workers]) {
    // Each queue and worker listens to it.
    client.setMaxListeners(0);
    client.on('error', () => undefined);
  }
  return {
    backend: (name, options, role = {}) => {
      const connection = role.withBlockingConnection ? workers : queues;
      // Asking for the version may fail, and BullMQ would remember that for good.
      return createRedisBackend(name, { ...options, connection, skipVersionCheck: true }, role);
    },
    close: () => {
      queues.disconnect();
      workers.disconnect();
      return Promise.resolve();
    },
  };
}

async function openPostgres(connectionString: string): Promise<QueueServer> {
  const pool = new Pool({
    connectionString,
    Client: HeardClient,
    // All workers begin to listen on the same connection at once.
    pipeline: true,
    max: POSTGRES_CONNECTIONS,
    // A job that a crash of PostgreSQL takes along costs a second: the sweep finds its rows.
    options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    connectionTimeoutMillis: 5_000,
    // A database that hangs, or is cut off without a word, is left after this: longer than one migration waits for another.
    query_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // Every worker waits for notifications of the one that listens.
  pool.on('connect', (client) => void client.setMaxListeners(0));
  const connection = new PostgresConnection(pool);
  // Each queue and worker has one.
  connection.setMaxListeners(0);
  const logger = new Logger('Queues');
  connection.on('error', (err: unknown) => logger.debug({ err }, 'A connection of the queues broke'));
  try {
    await migrateInTime(pool);
    await connection.waitUntilReady();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const close = async () => {
    await connection.close();
    await pool.end();
  };
  return {
    backend: (name, options) =>
      listeningBackend(new PostgresQueueBackend(connection, name, options as PostgresQueueOptions, false)),
    close: () => within(CLOSE_TIMEOUT_MS, close()).catch(() => undefined),
  };
}

/** The database may restart just then. @throws what failed last */
async function migrateInTime(pool: Pool): Promise<void> {
  for (const startedAt = performance.now(); ;) {
    try {
      return await migrate(pool);
    } catch (error) {
      if (performance.now() - startedAt > OPEN_TIMEOUT_MS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await runMigrations(client, SCHEMA);
    isBroken = false;
  } finally {
    client.release(isBroken);
  }
}

/** Only a backend with a connection of its own listens again after that connection was lost: this one shares it. */
function listeningBackend(backend: PostgresQueueBackend): PostgresQueueBackend {
  backend.connection.on('listenerinvalidated', () => {
    void backend.disconnectBlocking();
    void backend.reconnectBlocking();
  });
  return backend;
}
