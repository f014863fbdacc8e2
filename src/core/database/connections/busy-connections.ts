import type { Client, Pool, PoolClient } from 'pg';

/** Connections of a pool on which somebody waits. */
export class BusyConnections {
  /** Since when, by `performance.now()`. */
  private readonly since = new Map<PoolClient, number>();

  constructor(pool: Pool) {
    pool.on('acquire', (client) => this.ask(client));
    pool.on('release', (_, client) => this.since.delete(client));
  }

  /** A statement begins. */
  ask(client: PoolClient): void {
    this.since.set(client, performance.now());
  }

  /**
   * Whoever waits for an answer from a database that hangs is told now; what became of it nobody knows, as ever.
   * @param ms only where the statement began that long ago
   */
  cut(ms = 0): void {
    const latest = performance.now() - ms;
    for (const [client, since] of this.since) {
      // With a statement under way, `end` breaks the connection.
      if (since <= latest) void (client as unknown as Client).end();
    }
  }
}
