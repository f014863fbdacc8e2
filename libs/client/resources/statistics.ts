import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  AiUsage,
  AiUsageParams,
  PlatformUsage,
  PlatformUsageParams,
  StatisticsGetParams,
  Statistics as StatisticsValues,
} from '../types';

export class Statistics {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  get(query?: StatisticsGetParams, options?: RequestOptions): GatewayPromise<StatisticsValues> {
    return this.transport.call('get', '/api/v1/admin/stats', { query }, options);
  }

  /** The AI's use and costs in a period, by day, model, account, key or conversation. */
  getAiUsage(query?: AiUsageParams, options?: RequestOptions): GatewayPromise<AiUsage> {
    return this.transport.call('get', '/api/v1/usage/ai', { query }, options);
  }

  /** The messages that platforms bill, with their prices. */
  getPlatformUsage(query?: PlatformUsageParams, options?: RequestOptions): GatewayPromise<PlatformUsage> {
    return this.transport.call('get', '/api/v1/usage/platforms', { query }, options);
  }
}
