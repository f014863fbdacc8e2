import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { PlatformUsage, PlatformUsageQuery, StatisticsQuery, Statistics as StatisticsValues } from '../types';

export class Statistics {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  get(query?: StatisticsQuery, options?: RequestOptions): Promise<StatisticsValues> {
    return this.transport.call('get', '/api/v1/admin/stats', { query }, options);
  }

  /** What platforms bill. */
  platforms(query?: PlatformUsageQuery, options?: RequestOptions): Promise<PlatformUsage> {
    return this.transport.call('get', '/api/v1/usage/platforms', { query }, options);
  }
}
