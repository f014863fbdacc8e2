import { Injectable, UseFilters } from '@nestjs/common';
import { type GatewayDispatchPayload, GatewayDispatchEvents } from 'discord.js';
import { Context, createCustomOnDecorator } from 'necord';
import { RethrowFilter } from '../../rethrow.filter';
import type { InboundProcessor } from './inbound-processor';

/** Events that a connection emits on Necord's client. discord.js's types omit `raw`. */
export interface ConnectionEvents {
  /**
   * An event of the gateway, the processor that stores messages of its connection, and a callback that acknowledges the event
   * once it is stored.
   */
  raw: [packet: GatewayDispatchPayload, inbound: InboundProcessor, acknowledge: () => void];
}

const On = createCustomOnDecorator<ConnectionEvents>();

/**
 * Makes of a gateway event what the gateway stores. Everything that belongs to a connection comes with the event: Necord
 * remembers at the method the first instance that it was bound to, also when a second application starts in the process.
 */
@Injectable()
@UseFilters(RethrowFilter)
export class DiscordListener {
  @On('raw')
  onDispatch(@Context() [packet, inbound, acknowledge]: ConnectionEvents['raw']): void {
    if (packet.t === GatewayDispatchEvents.MessageCreate) inbound.take(packet.d, acknowledge);
    else if (packet.t === GatewayDispatchEvents.InteractionCreate) inbound.takeInteraction(packet.d, acknowledge);
    else acknowledge();
  }
}
