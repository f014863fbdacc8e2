import { Logger } from '@nestjs/common';
import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import type { Client, GatewayDispatchPayload, GatewayReadyDispatchData } from 'discord.js';
import { clampPause, reasonOf } from '#http-client';
import { ConnectionError, type ConnectionFault, type ConnectionObserver } from '../../platform.port';
import { connectionError } from '../discord-errors';
import type { DiscordOptions } from '../discord.options';
import type { ConnectionEvents } from '../inbound/discord.listener';
import { InboundProcessor, type InboundProcessorParts } from '../inbound/inbound-processor';
import { fatalClose, RESUMABLE_CLOSE, unusualClose } from './close-codes';
import { KNOWN_CHANNELS } from './gateway-memory';

/** With more unstored messages than this the connection ends: storing does not work, and Discord can replay them. */
const MOST_WAITING = 5_000;

export interface ConnectionParts extends Omit<InboundProcessorParts, 'warn'> {
  /** Necord's client, which the listener is bound to. */
  client: Client;
  options: DiscordOptions;
  observer: ConnectionObserver;
}

/**
 * One connection to the gateway (https://discord.com/developers/docs/events/gateway). discord.js' gateway client heartbeats,
 * notices a dead connection by the missing answer, closes it for at most half a minute, and resumes short breaks. A break that lasts longer than `readyMs` ends
 * this connection, and the next one resumes its session. discord.js' main client is not used (ADR 18).
 */
export class Connection {
  private readonly logger = new Logger('Discord');
  private readonly ended = Promise.withResolvers<void>();
  private readonly work = new AbortController();
  private readonly inbound: InboundProcessor;
  private readyTimer: NodeJS.Timeout | undefined;
  /** Whether Hello arrived since the socket was opened. */
  private greeted = false;

  constructor(private readonly parts: ConnectionParts) {
    const warn = (fault: ConnectionFault): void => void (this.isLive && parts.observer.warning(fault));
    this.inbound = new InboundProcessor({ ...parts, warn }, this.work.signal);
  }

  /** Resolves when the signal aborts, rejects with a ConnectionError when the connection is lost. */
  async run(signal: AbortSignal): Promise<void> {
    await this.ask(signal);
    const { memory, sink } = this.parts;
    memory.restore(await sink.lastSeen(KNOWN_CHANNELS));
    if (signal.aborted) return;
    memory.sequence.rewind();
    const gateway = this.gateway();
    const stop = (): void => this.end();
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.expectReady();
      gateway.connect().catch((error: unknown) => this.end(connectionError(error)));
      await this.ended.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.end();
      void this.close(gateway);
    }
  }

  private get isLive(): boolean {
    return !this.work.signal.aborted;
  }

  /** A REST call first: its errors about the token, the address and the limits say more than a closed socket. */
  private async ask(signal: AbortSignal): Promise<void> {
    try {
      const { session_start_limit: limit } = await this.parts.api.gatewayBot(signal);
      if (limit.remaining > 0) return;
      const message = `The bot has connected too often (${limit.total} times a day); Discord asks to wait.`;
      throw new ConnectionError({ code: 'session_limit', message }, false, clampPause(limit.reset_after));
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  private gateway(): WebSocketManager {
    const { api, client, memory, options } = this.parts;
    const gateway = new WebSocketManager({
      token: options.token ?? '',
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- several flags together are no member of the enumeration
      intents: client.options.intents.bitfield,
      rest: api.rest,
      shardCount: 1,
      updateSessionInfo: (_shardId, session) => void (this.isLive && memory.update(session)),
      retrieveSessionInfo: () => {
        // A shard cannot be stopped while it pauses before it reconnects: this promise keeps it waiting until it is garbage-collected.
        if (!this.isLive) return new Promise(() => undefined);
        return memory.session ?? null;
      },
    });
    gateway.on(WebSocketShardEvents.Hello, () => void (this.greeted = true));
    gateway.on(WebSocketShardEvents.Ready, ({ data }) => this.ready(data));
    gateway.on(WebSocketShardEvents.Resumed, () => this.restored());
    gateway.on(WebSocketShardEvents.HeartbeatComplete, () => this.proven());
    gateway.on(WebSocketShardEvents.Dispatch, ({ data }) => this.dispatch(data));
    gateway.on(WebSocketShardEvents.Closed, ({ code }) => this.closed(code));
    gateway.on(WebSocketShardEvents.Error, ({ error }) =>
      this.end(unreachable(`its gateway failed (${reasonOf(error)})`)),
    );
    return gateway;
  }

  private ready(data: GatewayReadyDispatchData): void {
    if (!this.isLive) return;
    this.parts.memory.began(data);
    this.restored();
  }

  private restored(): void {
    if (!this.isLive) return;
    clearTimeout(this.readyTimer);
    this.proven();
  }

  private proven(): void {
    if (!this.isLive) return;
    const { memory, observer } = this.parts;
    const { bot } = memory;
    // Other servers may leave fields out.
    if (bot.id) observer.proven({ ...(bot.username && { bot_username: bot.username }), bot_id: bot.id });
    this.inbound.fillGaps();
  }

  /** Hands an event to the listener, once. Discord replays an event that does not reach the listener: it stays unacknowledged. */
  private dispatch(packet: GatewayDispatchPayload): void {
    const { client, memory } = this.parts;
    const { sequence } = memory;
    if (!this.isLive || !sequence.begin(packet.s)) return;
    const event: ConnectionEvents['raw'] = [packet, this.inbound, () => sequence.done(packet.s)];
    client.emit('raw', ...event);
    if (sequence.waiting <= MOST_WAITING) return;
    const message = `${sequence.waiting} messages wait to be stored; the rest stays with Discord until they are.`;
    this.end(new ConnectionError({ code: 'backlog', message }, false));
  }

  private closed(code: number): void {
    if (!this.isLive) return;
    const fatal = fatalClose(code);
    if (fatal) return this.end(fatal);
    if (!this.greeted) return this.end(unreachable(`its gateway closed the connection (${code})`));
    this.greeted = false;
    const unusual = unusualClose(code);
    if (unusual) this.parts.observer.warning(unusual);
    this.expectReady();
  }

  private expectReady(): void {
    clearTimeout(this.readyTimer);
    const { readyMs } = this.parts.timings;
    const late = (): void => this.end(unreachable(`its gateway was not ready within ${readyMs} ms`));
    this.readyTimer = setTimeout(late, readyMs);
  }

  /** Ignores discord.js from here on. */
  private end(error?: ConnectionError): void {
    clearTimeout(this.readyTimer);
    this.work.abort();
    if (error) this.ended.reject(error);
    else this.ended.resolve();
  }

  private async close(gateway: WebSocketManager): Promise<void> {
    try {
      await gateway.destroy({ code: RESUMABLE_CLOSE, reason: 'the gateway will resume' });
    } catch (error) {
      this.logger.debug({ err: error }, 'A connection to Discord was not closed cleanly');
    }
  }
}

function unreachable(reason: string): ConnectionError {
  return new ConnectionError({ code: 'unreachable', message: `Discord cannot be reached: ${reason}.` }, false);
}
