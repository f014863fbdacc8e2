import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { InboundToPlay, PlayedInbound } from '../types';

export class Sandbox {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** With a test key: plays a message from a person. The assistant answers. */
  inbound(message: InboundToPlay, options?: RequestOptions): Promise<PlayedInbound> {
    return this.transport.call('post', '/api/v1/sandbox/inbound', { body: message }, options);
  }
}
