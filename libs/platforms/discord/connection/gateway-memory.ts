import {
  type APIRole,
  type APIUser,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayReadyDispatchData,
  type SessionInfo,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { LastSeen } from '../../platform.port';
import type { Bot } from '../inbound/inbound-content';
import { withId } from '../inbound/message-ids';
import { isLater, isSnowflake } from '../snowflake';
import { StoredSequence } from './stored-sequence';

/** A channel that may have missed messages. */
export interface KnownChannel {
  /** Everything up to this message is stored. */
  lastMessageId: string;
  /** Undefined for a direct message. */
  guild?: { name: string | null };
}

/** Channels that are asked for missed messages: each costs one request, and 50 a second are allowed. */
export const KNOWN_CHANNELS = 500;

/** The state that outlives a connection: the session to resume, and where to continue without it. */
export class GatewayMemory {
  private stores = new StoredSequence();
  readonly channels = new LRUCache<string, KnownChannel>({ max: KNOWN_CHANNELS });
  /** Channels to ask for messages that a lost session missed, and the message to start after. */
  readonly gaps = new Map<string, string>();
  /** Names of the guilds that the bot is in, by their ids; null until Discord sends the name. */
  readonly guilds = new Map<string, string | null>();
  /** Roles that guilds have for the bot alone. */
  private readonly roles = new Set<string>();
  private resumable: SessionInfo | undefined;
  private user: APIUser | undefined;

  /**
   * The sequence of the current session. Each session has its own: an event of an earlier session that is still being stored
   * must not count in a later one, which uses the same numbers.
   */
  get sequence(): StoredSequence {
    return this.stores;
  }

  /** The session to resume, from the last event that is stored with all before it. */
  get session(): SessionInfo | undefined {
    return this.resumable && { ...this.resumable, sequence: this.sequence.value };
  }

  /** Takes over a session from discord.js, whose sequence counts only for a new session. `null`: the session is lost. */
  update(session: SessionInfo | null): void {
    if (session && session.sessionId !== this.resumable?.sessionId) this.stores = new StoredSequence(session.sequence);
    this.resumable = session ?? undefined;
  }

  /** A new session replays nothing from before it. */
  began(ready: GatewayReadyDispatchData): void {
    this.user = withId(ready.user);
    const listed = (ready.guilds as GatewayReadyDispatchData['guilds'] | undefined) ?? [];
    const known = listed.map((guild) => withId(guild).id).map((id) => [id, this.guilds.get(id) ?? null] as const);
    this.guilds.clear();
    for (const [id, name] of known) this.guilds.set(id, name);
    for (const [id, { lastMessageId }] of this.channels.entries())
      if (!this.gaps.has(id)) this.gaps.set(id, lastMessageId);
  }

  /** Its id is empty before the first session. */
  get bot(): Bot {
    return { id: this.user?.id ?? '', username: this.user?.username, roles: this.roles };
  }

  /** Learns which roles are the bot's own: https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure */
  learn(packet: GatewayDispatchPayload): void {
    const isRole =
      packet.t === GatewayDispatchEvents.GuildRoleCreate || packet.t === GatewayDispatchEvents.GuildRoleUpdate;
    if (isRole) this.learnRoles([packet.d.role]);
    else if (packet.t === GatewayDispatchEvents.GuildCreate) this.learnRoles(packet.d.roles);
  }

  /** Other servers may leave roles out. */
  private learnRoles(roles: readonly (APIRole | undefined)[] | undefined): void {
    for (const role of roles ?? []) if (role?.tags?.bot_id === this.bot.id) this.roles.add(role.id);
  }

  /** The newest stored message of each channel, by any instance, newest first. */
  restore(seen: readonly LastSeen[]): void {
    for (const { participantId, participantName: name, address, platformMessageId } of seen.toReversed())
      this.stored(address ?? participantId, platformMessageId, address === null ? { name } : undefined);
  }

  stored(channelId: string, messageId: string, guild: KnownChannel['guild']): void {
    if (!isSnowflake(messageId)) return;
    const known = this.channels.get(channelId)?.lastMessageId;
    const lastMessageId = known === undefined || isLater(messageId, known) ? messageId : known;
    this.channels.set(channelId, { lastMessageId, guild });
  }

  /** Notes a message of ours to a person: if the session is lost, the answer may be missed. */
  wrote(channelId: string, messageId: string): void {
    if (isSnowflake(messageId) && !this.channels.has(channelId))
      this.channels.set(channelId, { lastMessageId: messageId });
  }
}
