import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { Integration, Reconnection } from '../types';

export class Integrations {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  list(options?: RequestOptions): GatewayPromise<Integration[]> {
    return this.transport.call('get', '/api/v1/integrations', {}, options);
  }

  /** It takes a moment: {@link list} shows the result. */
  reconnect(platform: Integration['platform'], options?: RequestOptions): GatewayPromise<Reconnection> {
    const input = { path: { platform } };
    // A second request while it reconnects starts nothing.
    return this.transport.call('post', '/api/v1/integrations/{platform}/reconnect', input, options, {
      repeatable: true,
    });
  }
}
