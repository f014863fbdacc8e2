import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import type { InboundSink, MessageChange } from '../../platform.port';
import type { GatewayMemory } from '../connection/gateway-memory';
import { deletionsOf, editsOf } from './changes';
import { membershipNotice } from './membership';
import { withId } from './message-ids';
import { reactionsOf } from './reaction';

/** Stores one thing that an event says. */
export type Effect = (sink: InboundSink) => Promise<void>;

/** The effects of an event that is neither a message nor an interaction; none for an event that is only counted. */
export function effectsOf(packet: GatewayDispatchPayload, memory: GatewayMemory): Effect[] {
  const { MessageUpdate, MessageDelete, MessageDeleteBulk } = GatewayDispatchEvents;
  const { MessageReactionAdd, MessageReactionRemove, GuildCreate, GuildDelete } = GatewayDispatchEvents;
  if (packet.t === MessageUpdate) return editsOf(packet.d, memory.bot).map(changing);
  if (packet.t === MessageDelete || packet.t === MessageDeleteBulk) return deletionsOf(packet.d).map(changing);
  if (packet.t === MessageReactionAdd || packet.t === MessageReactionRemove) {
    const reactions = reactionsOf(packet.d, packet.t === MessageReactionAdd, memory.bot.id);
    return reactions.map((reaction) => (sink) => sink.reaction(reaction));
  }
  return packet.t === GuildCreate || packet.t === GuildDelete ? membershipOf(packet, memory) : [];
}

function changing(change: MessageChange): Effect {
  return (sink) => sink.change(change);
}

/**
 * Discord sends GUILD_CREATE for each guild when a session begins and when it can reach the guild again: only a guild that is not
 * known is a new one. The memory changes after the notice is stored, because Discord replays an event that is not.
 */
function membershipOf(
  packet: Extract<GatewayDispatchPayload, { t: GatewayDispatchEvents.GuildCreate | GatewayDispatchEvents.GuildDelete }>,
  { guilds }: GatewayMemory,
): Effect[] {
  const { id, unavailable, name: told }: { id?: string; unavailable?: boolean; name?: string } = withId(packet.d);
  if (id === undefined || unavailable === true) return [];
  const name = told ?? guilds.get(id) ?? null;
  const isIn = packet.t === GatewayDispatchEvents.GuildCreate;
  if (isIn && guilds.has(id)) {
    guilds.set(id, name);
    return [];
  }
  const joined = new Date(isIn ? packet.d.joined_at : Number.NaN);
  const notice = membershipNotice({ id, name }, isIn, Number.isNaN(joined.getTime()) ? new Date() : joined);
  return [
    async (sink) => {
      await sink.notice(notice);
      if (isIn) guilds.set(id, name);
      else guilds.delete(id);
    },
  ];
}
