import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { SandboxPlayParams, PlayedInbound } from '../types';

export class Sandbox {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** With a test key: plays a message from a person. The assistant answers. */
  play(message: SandboxPlayParams, options?: RequestOptions): GatewayPromise<PlayedInbound> {
    return this.transport.call('post', '/api/v1/sandbox/inbound', { body: message }, options);
  }
}
