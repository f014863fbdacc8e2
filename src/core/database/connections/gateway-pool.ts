import { Pool, type PoolClient, type PoolConfig } from 'pg';
import type { DataSource } from 'typeorm';
import { currentWork } from '../../observability/tracing/work-context';
import { DatabaseUnavailableError, type Outage } from '../outage.service';
import { HeardClient } from './heard-client';
import { TestShare } from './test-share';

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

/**
 * The pool that TypeORM's query runners and `Database` share. During an outage it gives no connection, and the test environment
 * may use only a share of its connections: both concern repositories and prepared statements alike.
 */
export class GatewayPool extends Pool {
  readonly tests: TestShare;
  private outage: Outage | undefined;

  constructor(config: PoolConfig) {
    super({ ...config, Client: HeardClient });
    this.tests = new TestShare(this.options.max);
    this.on('release', (_, client) => this.tests.released(client));
  }

  /** From now on, `connect` fails at once during an outage. */
  refuseDuring(outage: Outage): void {
    this.outage = outage;
  }

  /** @throws DatabaseUnavailableError during an outage */
  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | void {
    const isOutage = this.outage?.present === true;
    // Work of an unknown environment counts as live.
    if (!isOutage && currentWork()?.environment !== 'test')
      return connected ? super.connect(connected) : super.connect();
    const client = isOutage
      ? Promise.reject<PoolClient>(new DatabaseUnavailableError())
      : this.tests.connect(() => super.connect());
    if (!connected) return client;
    client.then(
      (held) => connected(undefined, held, (broken) => held.release(broken)),
      (error: unknown) => connected(error as Error, undefined, () => undefined),
    );
  }
}

/** The `driver` option of TypeORM, which would load a copy of pg of its own beside the one in the bundle (ADR 71). */
export class PgDriver {
  /** Undefined until the data source is initialised. */
  pool: GatewayPool | undefined;
  /** TypeORM constructs it. */
  readonly Pool: new (config: PoolConfig) => GatewayPool;

  constructor() {
    const made = (pool: GatewayPool): void => void (this.pool = pool);
    this.Pool = class extends GatewayPool {
      constructor(config: PoolConfig) {
        super(config);
        made(this);
      }
    };
  }
}

/** @param dataSource initialised, with the options of `dataSourceOptions` */
export function poolOf({ options }: DataSource): GatewayPool {
  return (options as { driver: PgDriver }).driver.pool!;
}
