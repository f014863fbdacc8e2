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
 * Passes events of Discord's gateway on to the processor of their connection. The processor comes with the event, because
 * Necord binds a method to its first instance for good, even if a second application starts in the process.
 */
@Injectable()
@UseFilters(RethrowFilter)
export class DiscordListener {
  @On('raw')
  onDispatch(@Context() [packet, inbound, acknowledge]: ConnectionEvents['raw']): void {
    if (packet.t === GatewayDispatchEvents.MessageCreate) inbound.take(packet.d, acknowledge);
    else if (packet.t === GatewayDispatchEvents.InteractionCreate) inbound.takeInteraction(packet.d, acknowledge);
    else inbound.takeOther(packet, acknowledge);
  }
}
