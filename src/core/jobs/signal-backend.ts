import { createPostgresBackend, Queue, Worker, type Job, type JobsOptions } from 'bullmq';
import { Client, type ClientConfig } from 'pg';
import type { JobsModuleOptions } from './jobs.module-definition';

/** A wake-up: its name is the kind of work, its data says which instance asked. */
export interface Signal {
  from: string;
}

type Receive = (job: Pick<Job<Signal>, 'name' | 'data'>) => Promise<void>;

/** What BullMQ's queues and workers have in common, whichever backend they are on. */
interface Part {
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  /** When everything under way has ended. */
  close(): Promise<void>;
  /** At once. */
  disconnect(): Promise<void>;
}

export interface SignalBackend {
  queue: Part & { add(kind: string, signal: Signal, options: JobsOptions): Promise<unknown> };
  /** Does nothing until it is run: one that runs without ever having had a connection cannot be stopped. */
  worker: Part & {
    run(): Promise<void>;
    close(atOnce: boolean): Promise<void>;
    pause(atOnce: boolean): Promise<void>;
    resume(): Promise<void>;
  };
}

const QUEUE_NAME = 'gateway-wake';

/** Wake-ups are nobody's history. */
const STREAMS = { events: { maxLen: 10 } };

/** A Redis that hangs is left after this. */
const DISCONNECT_MS = 500;
/** A wake-up that it did not take by then is dropped. */
const COMMAND_TIMEOUT_MS = 5_000;

/** A connection on which nothing came for this long is asked whether it still lives (TCP keep-alive). */
const KEEP_ALIVE_MS = 10_000;
const LIVELY = { disconnectTimeout: DISCONNECT_MS, keepAlive: KEEP_ALIVE_MS };
/** Longer than BullMQ's migration waits for that of another instance. */
const QUERY_TIMEOUT_MS = 30_000;

/** A worker that lost its connection asks again each second (BullMQ: each 15 s, which also holds up the stop). */
const WORKER = { autorun: false, runRetryDelay: 1_000 };

/**
 * BullMQ on Redis or PostgreSQL; every wake-up lives for a moment only.
 *
 * BullMQ itself rather than @nestjs/bullmq, which makes `new Queue(name, options)` and `new Worker(name, processor,
 * options)`: the backend is a further constructor argument, so that PostgreSQL would have to be set for the whole process
 * (`setDefaultBackendFactory`, or `BullModule.queueClass` and `workerClass`), and a worker's options would have to be known
 * when its class is declared. Here queue and worker each get their own, and two applications in a process can differ.
 */
export function createSignalBackend(options: JobsModuleOptions, receive: Receive): SignalBackend {
  return options.redisUrl === undefined ? onPostgres(options.databaseUrl, receive) : onRedis(options.redisUrl, receive);
}

function onRedis(url: string, receive: Receive): SignalBackend {
  return {
    // Without an offline queue: a wake-up for which there is no connection is dropped, not kept for later.
    queue: new Queue(QUEUE_NAME, {
      connection: { url, ...LIVELY, enableOfflineQueue: false, commandTimeout: COMMAND_TIMEOUT_MS },
      streams: STREAMS,
    }),
    worker: new Worker(QUEUE_NAME, receive, {
      ...WORKER,
      connection: { url, ...LIVELY, maxRetriesPerRequest: null },
      drainDelay: 5, // seconds a blocking read lasts; after a stop without Redis, it is the last timer to go
    }),
  };
}

/**
 * A connection that breaks while BullMQ's migration holds it says so by an event beside the failed statement. BullMQ does
 * not listen to it then, and an error event that nobody hears ends the process.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/**
 * Without what BullMQ names workers by, which nobody here looks for: to give the name it opens the connection for
 * notifications as soon as it is ready, even if it was closed by then. Nobody would end that one, and its first error would
 * end the process. This way the connection is opened by a worker that runs.
 */
const nameless: typeof createPostgresBackend = (name, options) => createPostgresBackend(name, options);

function onPostgres(connectionString: string, receive: Receive): SignalBackend {
  // Its own schema, migrated by BullMQ itself under its own advisory lock.
  const connection = {
    connectionString,
    schema: 'bullmq',
    migrate: true,
    max: 2,
    connectionTimeoutMillis: 5_000,
    // A database that hangs, or is cut off without a word, is left after these.
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client: HeardClient,
  };
  return {
    queue: new Queue(QUEUE_NAME, { connection, streams: STREAMS }, nameless),
    worker: new Worker(
      QUEUE_NAME,
      receive,
      {
        ...WORKER,
        connection,
        drainDelay: 300, // NOTIFY wakes it; this only bounds how long a lost one goes unnoticed
      },
      nameless,
    ),
  };
}
