import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  createRedisBackend,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  setDefaultBackendFactory,
  type BackendFactory,
  type KeyPrefixOptions,
  type QueueOptions,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { within } from '../clock/within';
import { HeardClient } from '../database/connections/heard-client';

/** Pause before the next attempt to connect, in milliseconds. BullMQ would wait up to 20 s for Redis. */
export const RETRY_MS = 1_000;
/** The start fails if PostgreSQL cannot be reached for this long, in milliseconds. */
const OPEN_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** TCP keep-alive probes a connection that has been silent for this long, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;
/** A schema of its own, which BullMQ migrates itself. */
const SCHEMA = 'bullmq';

type PostgresQueueOptions = ConstructorParameters<typeof PostgresQueueBackend>[2];

/** At a close, a Redis that hangs is given up after half a second. */
const REDIS = { disconnectTimeout: 500, keepAlive: KEEP_ALIVE_MS, retryStrategy: () => RETRY_MS };
/** Adding a job fails without a connection, or if Redis does not answer in time: the sweep finds its rows. */
const REDIS_QUEUE = { ...REDIS, enableOfflineQueue: false, commandTimeout: 5_000 };
const REDIS_WORKER = { ...REDIS, maxRetriesPerRequest: null };

/** Two connections for statements, one that listens: all queues and workers of a process share them. */
const POSTGRES_CONNECTIONS = 3;

export interface QueueServerOptions {
  /** The database, embedded or not, without a pooler. Without Redis, the queues live there in a schema of their own. */
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Prefix of the queues' keys in Redis: another deployment's workers must not take these jobs. */
  namespace: string;
}

/** The server of an application's queues: its Redis, or its PostgreSQL. */
export interface QueueServer {
  readonly backend: BackendFactory;
  /** Call it after the queues and workers are closed. */
  close(): Promise<void>;
}

/** @throws when PostgreSQL cannot be reached; Redis may be unavailable */
export async function openQueueServer({ databaseUrl, redisUrl, namespace }: QueueServerOptions): Promise<QueueServer> {
  return redisUrl === undefined ? openPostgres(databaseUrl) : redisServer(redisUrl, `gateway:${namespace}`);
}

/** Options of all queues. A finished job is removed at once. */
export function queueOptions(server: QueueServer): QueueOptions {
  return {
    // The default backend factory finds the server here. Nest passes it on to the workers.
    connection: server,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    streams: { events: { maxLen: 10 } },
  };
}

/** BullMQ has one factory per process, but two applications in a process may have different servers. */
const backendOfServer: BackendFactory = (name, options, role) =>
  // `connection` is typed for Redis; this gateway always passes its `QueueServer`.
  (options.connection as unknown as QueueServer).backend(name, options, role);

setDefaultBackendFactory(backendOfServer);

/** One connection for all queues, one for all workers; BullMQ opens another for each worker's blocking wait. */
function redisServer(url: string, prefix: string): QueueServer {
  const [queues, workers] = [new Redis(url, REDIS_QUEUE), new Redis(url, REDIS_WORKER)];
  for (const client of [queues, workers]) {
    // Each queue and worker adds its listeners.
    client.setMaxListeners(0);
    client.on('error', () => undefined);
  }
  return {
    backend: (name, options, role = {}) => {
      const connection = role.withBlockingConnection ? workers : queues;
      // The version check may fail, and BullMQ would keep that failure for good.
      const redisOptions: typeof options & KeyPrefixOptions = {
        ...options,
        connection,
        prefix,
        skipVersionCheck: true,
      };
      return createRedisBackend(name, redisOptions, role);
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
    // All workers begin to listen at once, on the same connection.
    pipeline: true,
    max: POSTGRES_CONNECTIONS,
    // A job lost in a crash of PostgreSQL costs a second: the sweep finds its rows.
    options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
    connectionTimeoutMillis: 5_000,
    // A database that hangs, or whose connection was cut silently, is given up after this: longer than one migration waits
    // for another.
    query_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // Every worker waits for notifications on the connection that listens.
  pool.on('connect', (client) => void client.setMaxListeners(0));
  const connection = new PostgresConnection(pool);
  // Each queue and worker adds a listener.
  connection.setMaxListeners(0);
  const logger = new Logger('Queues');
  connection.on('error', (err: unknown) => logger.debug({ err }, 'A connection to the queue server was lost'));
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

/** Retries, because the database may be restarting. @throws the last error */
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

/** Only a backend with its own connection listens again after a loss. This one shares its connection, so it must be told. */
function listeningBackend(backend: PostgresQueueBackend): PostgresQueueBackend {
  backend.connection.on('listenerinvalidated', () => {
    void backend.disconnectBlocking();
    void backend.reconnectBlocking();
  });
  return backend;
}
