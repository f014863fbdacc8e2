import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailableError, type Outage } from '../outage.service';

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/**
 * Makes a pool reject with DatabaseUnavailableError at once during an outage. TypeORM's query runners and `Database` share
 * the pool, so this refuses repositories and prepared statements alike; BusyConnections cuts the statements under way.
 */
export function refuseDuringOutage(pool: Pool, outage: Outage): void {
  const connect = pool.connect.bind(pool);
  const guarded = (connected?: Connected): Promise<PoolClient> | void => {
    if (!outage.present) return connected ? connect(connected) : connect();
    const error = new DatabaseUnavailableError();
    return connected ? connected(error, undefined, () => undefined) : Promise.reject(error);
  };
  pool.connect = guarded as Pool['connect'];
}
