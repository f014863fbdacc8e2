import type { PoolClient } from 'pg';

/** Share of a pool's connections that the test environment may use at once. */
const SHARE = 0.25;

interface Waiting {
  /** By `performance.now()`. */
  since: number;
  begin: () => void;
  refuse: (error: Error) => void;
}

/**
 * Limits how many connections of a pool the test environment uses at once, so that its slow statements leave the others to
 * live work.
 */
export class TestShare {
  private free: number;
  private readonly held = new Set<PoolClient>();
  private queue: Waiting[] = [];

  /** @param connections of the pool */
  constructor(connections: number) {
    this.free = Math.max(1, Math.floor(connections * SHARE));
  }

  async connect(connect: () => Promise<PoolClient>): Promise<PoolClient> {
    await this.turn();
    try {
      const client = await connect();
      this.held.add(client);
      return client;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Call it for each connection that returns to the pool. */
  released(client: PoolClient): void {
    if (this.held.delete(client)) this.leave();
  }

  /** @param ms refuses only test work that has waited this many milliseconds */
  refuse(error: Error, ms = 0): void {
    const latest = performance.now() - ms;
    const refused = this.queue.filter(({ since }) => since <= latest);
    if (refused.length === 0) return;
    this.queue = this.queue.filter(({ since }) => since > latest);
    for (const { refuse } of refused) refuse(error);
  }

  private async turn(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    await new Promise<void>((begin, refuse) => this.queue.push({ since: performance.now(), begin, refuse }));
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next) next.begin();
    else this.free += 1;
  }
}
