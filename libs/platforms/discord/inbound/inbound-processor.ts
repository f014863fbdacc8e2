import { Logger } from '@nestjs/common';
import type { APIInteraction, APIMessage, GatewayDispatchPayload, GatewayMessageCreateDispatchData } from 'discord.js';
import { isException, UnreadableError, wordsOf } from '../../fault-words';
import type { ConnectionFault, InboundSink } from '../../platform.port';
import { pause } from '#http-client';
import type { DiscordApi } from '../discord-api';
import { faultOf } from '../discord-errors';
import type { DiscordTimings } from '../discord.options';
import { GapFill } from '../connection/gap-fill';
import type { GatewayMemory, KnownChannel } from '../connection/gateway-memory';
import { type Effect, effectsOf } from './events';
import { countedKindOf, readMessage } from './inbound-message';
import { readInteraction } from './interaction';
import { labelOf } from './kinds/events';
import { withId, withStringIds } from './message-ids';

/** After this many consecutive bugs of our own a message is skipped. */
const FAULTY_TRIES = 5;
/** After this a tap is acknowledged although it is not stored yet, in milliseconds. */
const ACKNOWLEDGE_MS = 2_000;

export interface InboundProcessorParts {
  api: DiscordApi;
  memory: GatewayMemory;
  timings: DiscordTimings;
  sink: InboundSink;
  warn: (fault: ConnectionFault) => void;
}

/**
 * Stores the messages of one connection: channels in parallel, each channel in order. It retries a message until it is stored,
 * and later messages of the channel wait; if the connection ends first, Discord replays it. It skips a message that hits a bug
 * of our own several times: that message would block its channel and the session for ever.
 */
export class InboundProcessor {
  private readonly logger = new Logger('Discord');
  private readonly tails = new Map<string, Promise<void>>();
  private readonly filling = new Set<string>();
  private readonly gapFill: GapFill;

  constructor(
    private readonly parts: InboundProcessorParts,
    private readonly signal: AbortSignal,
  ) {
    this.gapFill = new GapFill({ ...parts, store: (message, guild) => this.store(message, guild) }, signal);
  }

  /** Takes a message of the gateway. @param acknowledge called once the message is stored */
  take(event: GatewayMessageCreateDispatchData | null, acknowledge: () => void): void {
    const message = withStringIds(event);
    this.enqueue(String(message?.channel_id), async () => {
      const guild = message?.guild_id ? await this.guildOf(message.channel_id) : undefined;
      if (await this.store(message, guild)) acknowledge();
    });
  }

  /** Takes a tap on a button or menu, in the order of its channel. */
  takeInteraction(interaction: APIInteraction, acknowledge: () => void): void {
    const channelId = interaction.channel?.id ?? 'none';
    const stored = Promise.withResolvers<void>();
    this.enqueue(channelId, async () => {
      const guild = interaction.guild_id ? await this.guildOf(channelId) : undefined;
      const tap = readInteraction(interaction, guild);
      if (tap) await this.keep(`Message ${tap.platformMessageId}`, (sink) => sink.message(tap));
      else this.parts.sink.ignored('INTERACTION_CREATE');
      stored.resolve();
      if (!this.signal.aborted) acknowledge();
    });
    void this.answerInteraction(interaction, stored.promise);
  }

  /** Takes any other event. One that the gateway does not store is counted. */
  takeOther(packet: GatewayDispatchPayload, acknowledge: () => void): void {
    const { sink, memory, warn } = this.parts;
    const kind = labelOf(packet.t);
    let effects: Effect[] = [];
    try {
      memory.learn(packet);
      effects = effectsOf(packet, memory);
    } catch (error) {
      warn({ code: 'unusable_update', message: `An event ${kind} was skipped: ${wordsOf(error)}.` });
    }
    if (effects.length === 0) {
      sink.ignored(kind);
      return acknowledge();
    }
    this.enqueue(queueOf(packet), async () => {
      for (const effect of effects) await this.keep(`An event ${kind}`, effect);
      if (!this.signal.aborted) acknowledge();
    });
  }

  /** Discord shows a failure to the person who gets no answer within three seconds, also while the database is slow. */
  private async answerInteraction({ id, token }: APIInteraction, stored: Promise<void>): Promise<void> {
    await Promise.race([stored, pause(ACKNOWLEDGE_MS, this.signal)]);
    await this.parts.api.acknowledgeInteraction(id, token).catch((error: unknown) => {
      this.logger.debug(`a tap is not acknowledged: ${wordsOf(error)}`);
    });
  }

  /**
   * Reads messages that a lost session missed before it stores newer ones of those channels; a failed read lets them pass.
   * Call it repeatedly: it asks again for channels that could not be read.
   */
  fillGaps(): void {
    this.gapFill.begin();
    for (const channelId of this.parts.memory.gaps.keys()) {
      if (this.filling.has(channelId)) continue;
      this.filling.add(channelId);
      this.enqueue(channelId, () => this.gapFill.fill(channelId, () => void this.filling.delete(channelId)));
    }
  }

  private enqueue(channelId: string, task: () => Promise<void>): void {
    const tail = (this.tails.get(channelId) ?? Promise.resolve()).then(task).catch((error: unknown) => {
      this.parts.warn(faultOf(error));
    });
    this.tails.set(channelId, tail);
    void tail.then(() => {
      if (this.tails.get(channelId) === tail) this.tails.delete(channelId);
    });
  }

  /** False only if the connection ended first. True for an unreadable message too: a retry cannot help. */
  private async store(message: APIMessage | null, guild: KnownChannel['guild']): Promise<boolean> {
    const { memory, sink, warn } = this.parts;
    let received;
    try {
      if (!message) throw new UnreadableError('it is empty');
      received = readMessage(message, { bot: memory.bot, channel: guild });
      const kind = received ? undefined : countedKindOf(message);
      if (kind !== undefined) sink.ignored(kind);
    } catch (error) {
      warn({ code: 'unusable_update', message: `Message ${message?.id} was skipped: ${wordsOf(error)}.` });
      return true;
    }
    if (received) await this.keep(`Message ${message.id}`, () => sink.message(received));
    if (this.signal.aborted) return false;
    memory.stored(message.channel_id, message.id, guild);
    return true;
  }

  /**
   * Retries until it is stored or skipped, or the connection ends.
   * @param subject the beginning of a warning: `Message 7`
   */
  private async keep(subject: string, effect: Effect): Promise<void> {
    const { sink, timings, warn } = this.parts;
    let faults = 0;
    for (let failures = 0; !this.signal.aborted; failures += 1) {
      try {
        return await effect(sink);
      } catch (error) {
        faults = isFaultOfProgram(error) ? faults + 1 : 0;
        if (faults === FAULTY_TRIES) return this.giveUp(subject, error);
        const message = `${subject} could not be stored and is kept: ${wordsOf(error)}.`;
        // Warn once: during an outage of the database every message waits here.
        if (failures === 0) warn({ code: 'not_stored', message });
        await pause(timings.pauseMs, this.signal);
      }
    }
  }

  private giveUp(subject: string, error: unknown): void {
    const message = `${subject} was skipped: unexpected error; see the log.`;
    this.logger.error({ err: error }, message);
    this.parts.warn({ code: 'internal_error', message });
  }

  /** A guild channel's name, requested once: messages do not contain it. */
  private async guildOf(channelId: string): Promise<NonNullable<KnownChannel['guild']>> {
    const known = this.parts.memory.channels.get(channelId)?.guild;
    if (known?.name) return known;
    return { name: await this.parts.api.channelName(channelId).catch(() => null) };
  }
}

/** Changes of a message come after it: they wait in the queue of its channel. */
function queueOf({ d }: GatewayDispatchPayload): string {
  const { channel_id, id } = withId(d as { channel_id?: string; id?: string }, ['channel_id', 'id']);
  return String(channel_id ?? id);
}

/** Whether it is a bug of our own. Errors of the database and the network have other classes; the sink may wrap the bug. */
function isFaultOfProgram(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return isException(cause);
}
