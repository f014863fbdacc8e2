import { Client, type PoolConfig, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { answerOf } from './answer-of';
import { isDataFault } from './data-fault';

/** Most statements under way on one connection. */
const DEPTH = 16;
/** No statement is queued behind one that has taken this long, in milliseconds. */
const SLOW_MS = 50;
/** The pause after a connection is lost or cannot be opened. */
const AGAIN_MS = 2_000;
/** A connection keeps its prepared statements in memory, so it is replaced after this time. */
const LIFETIME_MS = 3_600_000;
/** Firewalls drop idle connections. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export const APPLICATION_NAME = 'messaging-gateway reads';

/**
 * Connections that send short statements without waiting for each other's answers (pipelining, ADR 30): fewer processes
 * of PostgreSQL are scheduled, and less often. Connections open on demand.
 */
export class SharedConnections {
  private readonly connections = new Set<SharedConnection>();
  private opening = false;
  private nextOpening = -Infinity;
  private ended = false;

  /**
   * @param options the pool's own, with a connection string: a copy of them lacks the password
   * @param most connections at once
   */
  constructor(
    private readonly options: PoolConfig,
    private readonly most: number,
  ) {}

  /** The connection with the fewest statements, if it has room for another. */
  withRoom(): SharedConnection | undefined {
    const now = performance.now();
    let best: SharedConnection | undefined;
    for (const connection of this.connections) {
      if (connection.hasRoom(now) && (!best || connection.underWay < best.underWay)) best = connection;
    }
    if (!best || best.underWay > 0) void this.openAnother(now);
    return best;
  }

  /** Breaks connections. @param ms only those that have waited this many milliseconds for an answer */
  cut(ms?: number): void {
    const now = performance.now();
    for (const connection of this.connections) {
      if (ms === undefined || connection.waiting(now) >= ms) connection.cut();
    }
  }

  /** Lets statements under way finish. */
  end(): void {
    this.ended = true;
    for (const connection of this.connections) connection.end();
  }

  private async openAnother(now: number): Promise<void> {
    if (this.opening || this.ended || now < this.nextOpening || this.connections.size >= this.most) return;
    this.opening = true;
    try {
      const client = new Client({
        ...this.options,
        ...KEEP_ALIVE,
        application_name: APPLICATION_NAME,
        pipeline: true,
      });
      const connection = new SharedConnection(client, () => this.leave(connection));
      await client.connect();
      if (this.ended) connection.end();
      else if (connection.isOpen) this.connections.add(connection);
      // The connection was lost before `connect` resolved.
      else this.pause();
    } catch {
      // The statement goes to the pool instead, which reports the fault.
      this.pause();
    } finally {
      this.opening = false;
    }
  }

  private leave(connection: SharedConnection): void {
    if (this.connections.delete(connection)) this.pause();
  }

  private pause(): void {
    this.nextOpening = performance.now() + AGAIN_MS;
  }
}

export class SharedConnection {
  /** Statements that wait for their answer. */
  underWay = 0;
  /** When the server began the first of them, by `performance.now()`. */
  private since = 0;
  private ending = false;
  private readonly expiry = setTimeout(() => this.end(), LIFETIME_MS).unref();

  /** @param left called when the connection takes no more statements */
  constructor(
    private readonly client: Client,
    private readonly left: () => void,
  ) {
    client.on('error', () => this.end()).on('end', () => this.end());
  }

  get isOpen(): boolean {
    return !this.ending;
  }

  /** How long the first statement has been under way, in milliseconds. */
  waiting(now: number): number {
    return this.underWay > 0 ? now - this.since : 0;
  }

  hasRoom(now: number): boolean {
    return this.underWay < DEPTH && this.waiting(now) < SLOW_MS;
  }

  async ask<Row extends QueryResultRow>(asked: QueryConfig, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    if (this.underWay === 0) this.since = performance.now();
    this.underWay += 1;
    try {
      return await answerOf<Row>(this.client, asked, values);
    } catch (error) {
      // A prepared statement of this connection may be the cause: a new connection has none.
      if (!isDataFault(error)) this.end();
      throw error;
    } finally {
      this.underWay -= 1;
      this.since = performance.now();
    }
  }

  cut(): void {
    this.client.connection.stream.destroy();
  }

  /** Lets statements under way finish. */
  end(): void {
    if (this.ending) return;
    this.ending = true;
    clearTimeout(this.expiry);
    this.left();
    void this.client.end().catch(() => undefined);
  }
}
