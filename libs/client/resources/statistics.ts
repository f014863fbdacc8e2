import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { StatisticsQuery, Statistics as StatisticsValues } from '../types';

export class Statistics {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  get(query?: StatisticsQuery, options?: RequestOptions): Promise<StatisticsValues> {
    return this.transport.call('get', '/api/v1/admin/stats', { query }, options);
  }
}
