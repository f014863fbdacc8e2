import { Pool, type Dispatcher } from 'undici';

interface Receiver {
  pool: Pool;
  underWay: number;
}

/**
 * A pool of connections for each receiver with an exchange under way or an open connection. undici's Agent would keep the pool of
 * a receiver that never answers, with as many clients as it ever had exchanges at once.
 */
export class ReceiverPools {
  private readonly receivers = new Map<string, Receiver>();

  constructor(private readonly options: Pool.Options) {}

  /** Runs an exchange with the receiver of a URL. */
  async use<T>(url: string, run: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
    const { origin } = new URL(url);
    const receiver = this.receivers.get(origin) ?? this.open(origin);
    receiver.underWay += 1;
    try {
      return await run(receiver.pool);
    } finally {
      receiver.underWay -= 1;
      this.closeUnused(origin, receiver);
    }
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.receivers.values()].map(({ pool }) => pool.destroy()));
  }

  private open(origin: string): Receiver {
    const receiver = { pool: new Pool(origin, this.options), underWay: 0 };
    const unused = () => this.closeUnused(origin, receiver);
    receiver.pool.on('disconnect', unused).on('connectionError', unused);
    this.receivers.set(origin, receiver);
    return receiver;
  }

  private closeUnused(origin: string, receiver: Receiver): void {
    const { pool, underWay } = receiver;
    if (underWay > 0 || pool.stats.connected > 0 || this.receivers.get(origin) !== receiver) return;
    this.receivers.delete(origin);
    // Connections that are still being made are for exchanges that were given up.
    void pool.destroy();
  }
}
