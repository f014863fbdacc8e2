import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { SettingsUpdateParams, Settings as SettingsValues } from '../types';

export class Settings {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  get(options?: RequestOptions): GatewayPromise<SettingsValues> {
    return this.transport.call('get', '/api/v1/admin/settings', {}, options);
  }

  /** A setting that is left out stays unchanged. */
  update(change: SettingsUpdateParams, options?: RequestOptions): GatewayPromise<SettingsValues> {
    return this.transport.call('patch', '/api/v1/admin/settings', { body: change }, options);
  }
}
