import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRedisBackend,
  PostgresConnection,
  PostgresQueueBackend,
  runMigrations,
  type BackendFactory,
  type QueueOptions,
  type RedisQueueBackend,
} from 'bullmq';
import { within } from '../../clock/within';
import { HeardClient } from '../../database/connections/heard-client';
import type { StartConnections } from '../../database/connections/start-connections';

/** What is unavailable is tried again after this: BullMQ would wait up to 20 s for Redis, and not at all for others. */
export const RETRY_MS = 1_000;
/** An unavailable queue must not hold up the stop. */
const CLOSE_TIMEOUT_MS = 2_000;
/** A connection on which nothing came for this long is asked whether it still lives (TCP keep-alive). */
const KEEP_ALIVE_MS = 10_000;

/** A Redis that hangs is left after half a second. */
const REDIS = { disconnectTimeout: 500, keepAlive: KEEP_ALIVE_MS, retryStrategy: () => RETRY_MS };
/** A signal is dropped where there is no connection, and where Redis does not take it in time. */
const REDIS_QUEUE = { ...REDIS, enableOfflineQueue: false, commandTimeout: 5_000 };
const REDIS_WORKER = { ...REDIS, maxRetriesPerRequest: null };

const POSTGRES = {
  Client: HeardClient,
  // Its own schema, migrated by BullMQ itself under its own advisory lock.
  schema: 'bullmq',
  // Beside it, a worker has one that listens.
  max: 1,
  connectionTimeoutMillis: 5_000,
  // A database that hangs, or is cut off without a word, is left after this: longer than one migration waits for another.
  query_timeout: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
};

export interface SignalBackendOptions {
  /** The database in use, embedded or not. The queues live in a schema of their own there, unless there is a Redis. */
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Where a queue notes that it has connected. */
  connections?: StartConnections;
}

/** BullMQ hands the options that it does not know to the class of the queue. */
export interface SignalQueueOptions extends QueueOptions {
  connections?: StartConnections | undefined;
}

/** What all queues of an application have in common. A job lives for a moment, and leaves nothing behind. */
export function queueOptions({ databaseUrl, redisUrl, connections }: SignalBackendOptions): SignalQueueOptions {
  return {
    connections,
    connection: redisUrl === undefined ? { connectionString: databaseUrl } : { url: redisUrl },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    streams: { events: { maxLen: 10 } },
  };
}

export function isOnPostgres({ connection }: Pick<QueueOptions, 'connection'>): boolean {
  return 'connectionString' in connection;
}

const createBackend: BackendFactory = (name, options, role = {}) => {
  if (isOnPostgres(options)) {
    const connection = { ...options.connection, ...POSTGRES };
    return new PostgresQueueBackend(new PersistentConnection(connection), name, { ...options, connection });
  }
  const connection = { ...options.connection, ...(role.withBlockingConnection ? REDIS_WORKER : REDIS_QUEUE) };
  // Asking for the version may fail, and BullMQ would remember that for good.
  return createRedisBackend(name, { ...options, connection, skipVersionCheck: true }, role);
};

/**
 * BullMQ's backend by a queue's own options: `connectionString` is PostgreSQL, `url` is Redis. So two applications in a
 * process may differ, which BullMQ's process-wide default does not allow. (Queue and Worker are typed for Redis.)
 */
export const signalBackend = createBackend as BackendFactory<RedisQueueBackend>;

/** Tries until PostgreSQL is there, as ioredis does with Redis: BullMQ remembers a failed first attempt for good. */
class PersistentConnection extends PostgresConnection {
  private opened?: Promise<void>;

  constructor(...options: ConstructorParameters<typeof PostgresConnection>) {
    super(...options);
    // Where BullMQ takes the class of its listening connection from; the one of the pool is an option.
    Object.assign(this, { pgModule: { Client: HeardClient } });
  }

  override waitUntilReady(): Promise<void> {
    return (this.opened ??= this.keepOpening());
  }

  private async keepOpening(): Promise<void> {
    while (!this.isClosing) {
      try {
        return await this.migrate();
      } catch (error) {
        this.emit('error', error);
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  private async migrate(): Promise<void> {
    const client = await this.pool.connect();
    let broken = true;
    try {
      await runMigrations(client, this.schema);
      broken = false;
    } finally {
      client.release(broken);
    }
  }
}

/** Closes a queue or worker; one whose server hangs, or is gone, is left after two seconds. */
export async function closeInTime(part: { disconnect(): Promise<void> }, closed: Promise<void>): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, closed).catch(() => undefined);
  // Closing leaves behind the worker's wait for a job, and connections that are tried for ever while Redis is unavailable.
  part.disconnect().catch(() => undefined);
}
