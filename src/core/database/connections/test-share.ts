import type { Pool, PoolClient } from 'pg';
import { currentWork } from '../../observability/tracing/work-context';

/** Share of a pool's connections that the test environment may use at once. */
const SHARE = 0.25;

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

interface Waiting {
  /** By `performance.now()`. */
  since: number;
  begin: () => void;
  refuse: (error: Error) => void;
}

/**
 * Limits how many connections of a pool the test environment uses at once, so that its slow statements leave the others to
 * live work. The limit covers TypeORM's query runners and `Database`, which share the pool.
 */
export class TestShare {
  private free: number;
  private readonly held = new Set<PoolClient>();
  private queue: Waiting[] = [];

  constructor(pool: Pool) {
    this.free = Math.max(1, Math.floor(pool.options.max * SHARE));
    const connect = pool.connect.bind(pool);
    const guarded = (connected?: Connected): Promise<PoolClient> | void => {
      // Work of an unknown environment counts as live.
      if (currentWork()?.environment !== 'test') return connected ? connect(connected) : connect();
      const client = this.connectInTurn(connect);
      if (!connected) return client;
      client.then(
        (held) => connected(undefined, held, (broken) => held.release(broken)),
        (error: unknown) => connected(error as Error, undefined, () => undefined),
      );
    };
    pool.connect = guarded as Pool['connect'];
    pool.on('release', (_, client) => {
      if (this.held.delete(client)) this.leave();
    });
  }

  /** @param ms refuses only test work that has waited this many milliseconds */
  refuse(error: Error, ms = 0): void {
    const latest = performance.now() - ms;
    const refused = this.queue.filter(({ since }) => since <= latest);
    if (refused.length === 0) return;
    this.queue = this.queue.filter(({ since }) => since > latest);
    for (const { refuse } of refused) refuse(error);
  }

  private async connectInTurn(connect: () => Promise<PoolClient>): Promise<PoolClient> {
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
