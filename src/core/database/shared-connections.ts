import { Client, type PoolConfig, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';

/** As many as one process keeps busy. */
const CONNECTIONS = 3;
/** Statements under way on one. */
const DEPTH = 16;
/** Nobody waits behind a statement that takes longer than this, in milliseconds. */
const SLOW_MS = 50;
/** After one could not be opened. */
const AGAIN_MS = 1_000;

/** Where the pool says nothing about it. */
const LIFETIME_SECONDS = 3_600;

export const APPLICATION_NAME = 'messaging-gateway reads';

/**
 * Connections on which short statements go out without waiting for each other's answers (pipelining, ADR 30): fewer
 * processes of PostgreSQL wake up, and less often. Opened when they are needed.
 */
export class SharedConnections {
  private connections: SharedConnection[] = [];
  private opening = false;
  private nextOpening = -Infinity;
  private ended = false;

  /** @param options those of the pool beside them */
  constructor(private readonly options: PoolConfig) {}

  /** One that has room for a statement: that with the fewest. */
  withRoom(): SharedConnection | undefined {
    const now = performance.now();
    let best: SharedConnection | undefined;
    for (const connection of this.connections) {
      if (connection.hasRoom(now) && (!best || connection.underWay < best.underWay)) best = connection;
    }
    if (!best || best.underWay > 0) void this.openAnother(now);
    return best;
  }

  /** Breaks those whose server is silent. @param ms only where the statement it works on was sent that long ago */
  cut(ms = 0): void {
    const latest = performance.now() - ms;
    for (const connection of this.connections) connection.cut(latest);
  }

  /** What is under way is still answered. */
  end(): void {
    this.ended = true;
    for (const connection of this.connections) connection.end();
  }

  private async openAnother(now: number): Promise<void> {
    if (this.opening || this.ended || now < this.nextOpening || this.connections.length >= CONNECTIONS) return;
    this.opening = true;
    const client = new Client({ ...this.options, application_name: APPLICATION_NAME, pipeline: true });
    const connection = new SharedConnection(client);
    const leave = () => {
      this.connections = this.connections.filter((other) => other !== connection);
    };
    client.on('error', leave).on('end', leave);
    try {
      await client.connect();
      if (this.ended) return connection.end();
      this.connections.push(connection);
      const expire = () => {
        leave();
        connection.end();
      };
      setTimeout(expire, (this.options.maxLifetimeSeconds ?? LIFETIME_SECONDS) * 1_000).unref();
    } catch {
      // Whoever needs it asks the pool, and hears what is wrong.
      this.nextOpening = now + AGAIN_MS;
    } finally {
      this.opening = false;
    }
  }
}

export class SharedConnection {
  /** Statements that wait for their answer. */
  underWay = 0;
  /** Since when the server works on the first of them, by `performance.now()`. */
  private since = 0;

  constructor(private readonly client: Client) {}

  hasRoom(now: number): boolean {
    return this.underWay === 0 || (this.underWay < DEPTH && now - this.since < SLOW_MS);
  }

  /** @param done called once */
  ask<Row extends QueryResultRow>(
    asked: QueryConfig,
    done: (error: Error | undefined, result: QueryResult<Row>) => void,
  ): void {
    if (this.underWay === 0) this.since = performance.now();
    this.underWay += 1;
    this.client.query<Row>(asked, (error, result) => {
      this.underWay -= 1;
      this.since = performance.now();
      done(error ?? undefined, result);
    });
  }

  cut(latest: number): void {
    if (this.underWay > 0 && this.since <= latest) this.client.connection.stream.destroy();
  }

  end(): void {
    void this.client.end().catch(() => undefined);
  }
}
