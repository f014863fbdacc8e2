import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Metrics } from '../observability/metrics.service';
import { poolOf } from './connections/gateway-pool';
import { Outage } from './outage.service';

/** The pool and the outages of the database, for Prometheus. */
@Injectable()
export class DatabaseMetrics {
  constructor(dataSource: DataSource, outage: Outage, metrics: Metrics) {
    const pool = poolOf(dataSource);
    metrics.readEach('gateway_database_connections', 'Connections of the pool, by state.', 'state', () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
    }));
    metrics.read(
      'gateway_database_connections_limit',
      'Maximum number of connections of the pool.',
      () => pool.options.max,
    );
    metrics.read('gateway_database_waiting', 'Statements waiting for a connection.', () => pool.waitingCount);
    const outages = metrics.counter('gateway_database_outages_total', 'Database outages noticed by this instance.');
    outage.watch({ begins: () => outages.inc() });
  }
}
