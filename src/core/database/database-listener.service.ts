import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Client, DatabaseError } from 'pg';
import type { EntityManager } from 'typeorm';
import { runDetached } from '../observability/tracing/work-context';
import { statement } from './database.service';
import { DirectUrl } from './connections/direct-connection';
import { Outage } from './outage.service';

const CHANNEL = 'gateway';
/** Pause between two proofs while callers ask for them, in milliseconds. */
const CHECK_INTERVAL_MS = 300;
/** Pause between two proofs of an idle gateway, in milliseconds; a database that hangs is noticed later by as much. */
const IDLE_CHECK_INTERVAL_MS = 2_000;
/** The gateway is idle after this long without a call of `isAliveWithin`, in milliseconds. */
const IDLE_AFTER_MS = 5_000;
const RECONNECT_MS = 500;
const CLOSE_TIMEOUT_MS = 1_000;
/** Rows in memory are read again this long after a failed reading, in milliseconds. */
const REREAD_MS = 500;

/** `SELECT` that announces `topic` with `payload` to every instance when its transaction commits. */
export const ANNOUNCE = statement('announce', `SELECT pg_notify('${CHANNEL}', $1::text || ':' || $2::text)`);

/** `SELECT` that announces `topic` with each of several payloads. */
export const ANNOUNCE_ALL = statement(
  'announce-all',
  `SELECT pg_notify('${CHANNEL}', $1::text || ':' || payload) FROM unnest($2::text[]) AS payload`,
);

/** Announces `topic` with `payload` to every instance when the transaction commits. */
export async function announce(transaction: EntityManager, topic: string, payload: string): Promise<void> {
  await transaction.query(ANNOUNCE.text, [topic, payload]);
}

type Handler = (payload: string) => void;

/**
 * Receives the announcements of other instances (LISTEN/NOTIFY), on a connection of its own.
 *
 * A notification that is lost with its connection never comes again. So caches are trusted only while the connection is
 * proven alive: PostgreSQL answers a query on it after it has sent all earlier announcements.
 *
 * It also detects an outage, including a database that hangs: the connection is lost and a new one cannot be opened.
 */
@Injectable()
export class DatabaseListener implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseListener.name);
  private readonly handlers = new Map<string, Handler[]>();
  private readonly resyncHandlers: (() => void)[] = [];
  private client?: Client;
  private timer?: NodeJS.Timeout;
  private aliveAt = -Infinity;
  private askedAt = -Infinity;
  private isIdle = false;
  private loggedLost = false;
  private stopped = false;

  constructor(
    private readonly directUrl: DirectUrl,
    private readonly outage: Outage,
  ) {}

  /** For state in memory: calls `handler` at each announcement, and without a payload when announcements may be missing. */
  follow(topic: string, handler: (payload?: string) => void): void {
    this.on(topic, handler);
    this.onResync(() => handler());
  }

  on(topic: string, handler: Handler): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  /** The listener calls `handler` after each new connection, as it may have missed announcements. */
  onResync(handler: () => void): void {
    this.resyncHandlers.push(handler);
  }

  /** Whether the listener has received everything announced more than `ms` milliseconds ago. */
  isAliveWithin(ms: number): boolean {
    this.askedAt = performance.now();
    if (this.isIdle) this.checkSoon(0);
    return performance.now() - this.aliveAt <= ms;
  }

  async onModuleInit(): Promise<void> {
    await this.connect();
  }

  /** Runs after the other modules have recorded their outcomes: until then they need to know of an outage. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    // A database that hangs does not answer the goodbye.
    await Promise.race([this.client?.end().catch(() => undefined), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.directUrl.value,
      connectionTimeoutMillis: 3_000,
      query_timeout: 3_000,
      keepAlive: true,
      application_name: 'messaging-gateway listener',
    });
    client.on('notification', ({ payload = '' }) => this.dispatch(payload));
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    this.client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.aliveAt = performance.now();
      this.recovered();
      for (const handler of this.resyncHandlers) handler();
      this.checkSoon();
    } catch (error) {
      if (isOutage(error)) this.unavailable();
      this.lost(client);
    }
  }

  private unavailable(): void {
    if (this.stopped || this.outage.present) return;
    this.logger.error('The database does not respond: requests are refused until it does');
    this.outage.begin();
  }

  private recovered(): void {
    if (this.loggedLost) this.logger.log('The listening database connection has recovered');
    this.loggedLost = false;
    this.outage.end();
  }

  private checkSoon(inMs?: number): void {
    const { client } = this;
    if (this.stopped || !client) return;
    this.isIdle = inMs === undefined && performance.now() - this.askedAt > IDLE_AFTER_MS;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        this.isIdle = false;
        void this.check(client);
      },
      inMs ?? (this.isIdle ? IDLE_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS),
    );
  }

  private async check(client: Client): Promise<void> {
    const asked = performance.now();
    try {
      await client.query('SELECT 1');
      this.aliveAt = asked;
      this.checkSoon();
    } catch {
      this.lost(client);
    }
  }

  private lost(client: Client): void {
    if (this.stopped || this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    client.removeAllListeners('end');
    void client.end().catch(() => undefined);
    if (!this.loggedLost)
      this.logger.warn('The listening database connection was lost; caches are bypassed until it recovers');
    this.loggedLost = true;
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS);
  }

  private dispatch(text: string): void {
    const colon = text.indexOf(':');
    const topic = text.slice(0, colon);
    for (const handler of this.handlers.get(topic) ?? []) handler(text.slice(colon + 1));
  }
}

/** Rows that every instance keeps in memory, and reads again when one instance announces a change of them. */
export class RowsInMemory {
  private readonly logger = new Logger(RowsInMemory.name);
  private reading: Promise<void> = Promise.resolve();
  private retry?: NodeJS.Timeout;

  /** @param name of the rows, for the log @param load reads and keeps them */
  constructor(
    private readonly name: string,
    private readonly load: () => Promise<void>,
  ) {}

  follow(listener: DatabaseListener, topic: string): void {
    listener.follow(topic, () => void this.readUntilDone());
  }

  /**
   * One reading after the other: the older of two must not win. Live work may wait for a reading that a test key caused, so the
   * reading does not count as test work.
   */
  read(): Promise<void> {
    const reading = runDetached(() => this.reading.then(() => this.load()));
    this.reading = reading.catch(() => undefined);
    return reading;
  }

  /** No further readings are tried. */
  stop(): void {
    clearTimeout(this.retry);
  }

  /** Retries, so that a failed reading does not lose an announced change. */
  private async readUntilDone(): Promise<void> {
    clearTimeout(this.retry);
    try {
      await this.read();
    } catch (error) {
      this.logger.debug({ err: error }, `The ${this.name} could not be read; retrying`);
      this.retry = setTimeout(() => void this.readUntilDone(), REREAD_MS).unref();
    }
  }
}

/**
 * A server that answers with a refusal, such as too many connections, still serves its open connections. Class 57P: it is
 * stopping or starting.
 */
function isOutage(error: unknown): boolean {
  return !(error instanceof DatabaseError) || (error.code ?? '').startsWith('57P');
}
