import type { Pool, PoolClient } from 'pg';
import { DatabaseUnavailableError, type Outage } from '../outage.service';

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/**
 * Makes a pool hand out no connection during an outage, but DatabaseUnavailableError at once. TypeORM's query runners and
 * `Database` ask the one pool, so repositories and prepared statements are refused alike; BusyConnections gives up those
 * that wait already.
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
