import type { Pool, PoolClient } from 'pg';

/** Connections of a pool that run a statement. */
export class BusyConnections {
  /** When the statement began, by `performance.now()`. */
  private readonly since = new Map<PoolClient, number>();

  constructor(pool: Pool) {
    pool.on('acquire', (client) => this.ask(client));
    pool.on('release', (_, client) => this.since.delete(client));
  }

  /** Notes that a statement begins. */
  ask(client: PoolClient): void {
    this.since.set(client, performance.now());
  }

  /**
   * Breaks the connections, so that callers stop waiting for a database that hangs. The outcome of a statement is unknown.
   * @param ms breaks only connections whose statement began at least this many milliseconds ago
   */
  cut(ms = 0): void {
    const latest = performance.now() - ms;
    for (const [client, since] of this.since) {
      // With a statement under way, `end` breaks the connection.
      if (since <= latest) void client.end();
    }
  }
}
