import { type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type GatewayDispatchPayload,
  GatewayDispatchEvents,
  GatewayOpcodes,
  type GatewayReadyDispatchData,
  SimpleShardingStrategy,
} from 'discord.js';
import {
  ConnectionError,
  type ConnectionDetails,
  type ConnectionFault,
  type ConnectionObserver,
} from '../../platform.port';
import { Client, DiscordClientModule } from './client.module';
import { fatalClose, RESUMABLE_CLOSE, unusualClose } from './close-codes';
import { connectionError } from '../discord-errors';
import type { DiscordOptions } from '../discord.options';
import { KNOWN_CHANNELS } from './gateway-memory';
import { InboundProcessor, type InboundProcessorParts } from '../inbound/inbound-processor';

type GatewayClient = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** The events of discord.js' gateway client, whose names discord.js does not export. */
interface GatewayEvents {
  on(event: 'closed', listener: (event: { code: number }) => void): unknown;
  on(event: 'error', listener: (event: { error: Error }) => void): unknown;
  on(event: 'hello' | 'resumed' | 'heartbeat', listener: () => void): unknown;
  on(event: 'ready', listener: (event: { data: GatewayReadyDispatchData }) => void): unknown;
  emit(event: 'ready' | 'dispatch', payload: object): unknown;
}

/** More messages than this waiting to be stored means that storing does not work: Discord keeps them better than memory. */
const MOST_WAITING = 5_000;

export interface ConnectionParts extends Omit<InboundProcessorParts, 'warn' | 'options'> {
  options: DiscordOptions;
  observer: ConnectionObserver;
}

/**
 * One connection to the gateway (https://discord.com/developers/docs/events/gateway). discord.js heartbeats, notices a
 * dead connection by the missing answer, and resumes short breaks; what it cannot mend within `readyMs` ends this
 * connection, and the next one resumes its session.
 */
export class Connection {
  private readonly logger = new Logger('Discord');
  private readonly ended = Promise.withResolvers<void>();
  private readonly work = new AbortController();
  private readonly inbound: InboundProcessor;
  private gateway: GatewayClient | undefined;
  private readyTimer: NodeJS.Timeout | undefined;
  /** Hello came since the socket was opened. */
  private greeted = false;
  /** Whether discord.js knows who the bot is, and whether it is being told. */
  private introduced = false;
  private introducing = false;

  constructor(private readonly parts: ConnectionParts) {
    const warn = (fault: ConnectionFault): void => void (this.isLive && parts.observer.warning(fault));
    this.inbound = new InboundProcessor({ ...parts, warn }, this.work.signal);
  }

  /** Resolves when the signal aborts, rejects with a ConnectionError when the connection is lost. */
  async run(signal: AbortSignal): Promise<void> {
    await this.ask(signal);
    const { memory, options, api, sink } = this.parts;
    memory.recall(await sink.lastSeen(KNOWN_CHANNELS));
    if (signal.aborted) return;
    memory.sequence.rewind();
    const buildStrategy = (gateway: GatewayClient): SimpleShardingStrategy => {
      this.adopt(gateway);
      return new SimpleShardingStrategy(gateway);
    };
    const module = DiscordClientModule.create(
      { token: options.token ?? '', rest: api.restOptions, ws: { buildStrategy } },
      (packet) => this.dispatch(packet),
    );
    const context = await NestFactory.createApplicationContext(module, { abortOnError: false });
    const stop = (): void => this.end();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) return;
      this.expectReady();
      context
        .get(Client)
        .login(options.token)
        .catch((error: unknown) => this.end(connectionError(error)));
      await this.ended.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.end();
      void this.close(context);
    }
  }

  private get isLive(): boolean {
    return !this.work.signal.aborted;
  }

  /** Discord's own words about the token, the address and the limits are better than those of a socket that closes. */
  private async ask(signal: AbortSignal): Promise<void> {
    try {
      const { session_start_limit: limit } = await this.parts.api.gatewayBot(signal);
      if (limit.remaining > 0) return;
      const message = `The bot has connected too often (${limit.total} times a day); Discord asks to wait.`;
      throw new ConnectionError({ code: 'session_limit', message }, false, limit.reset_after);
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  /** Gives discord.js the session that is to be resumed, and listens. */
  private adopt(gateway: GatewayClient): void {
    this.gateway = gateway;
    const { memory } = this.parts;
    // discord.js' own handlers read what its own function is given.
    const updateSessionInfo = gateway.options.updateSessionInfo.bind(gateway.options);
    gateway.options.updateSessionInfo = (shardId, session) => {
      if (!this.isLive) return;
      memory.update(session);
      void updateSessionInfo(shardId, session);
    };
    gateway.options.retrieveSessionInfo = (shardId) => {
      // A shard that pauses before it reconnects cannot be told to stop: it waits here for ever, and is collected.
      if (!this.isLive) return new Promise(() => undefined);
      const { session } = memory;
      if (session) void updateSessionInfo(shardId, session);
      return session ?? null;
    };
    // Its types name events by an enumeration that discord.js does not export.
    const events = gateway as unknown as GatewayEvents;
    this.guard(events);
    events.on('hello', () => (this.greeted = true));
    events.on('heartbeat', () => {
      this.proven();
      this.inbound.fillGaps();
    });
    events.on('ready', ({ data }) => this.ready(data));
    events.on('resumed', () => this.resumed(events));
    events.on('closed', ({ code }) => this.closed(code));
    events.on('error', ({ error }) => this.end(unreachable(error.message)));
  }

  /** What a handler of discord.js' throws at a malformed event would reject nowhere, and so end the whole process. */
  private guard(events: GatewayEvents): void {
    const emit = events.emit.bind(events);
    events.emit = (event, payload) => {
      try {
        return emit(event, payload);
      } catch (error) {
        const message = `An event of the gateway was skipped: ${String(error)}.`;
        if (this.isLive) this.parts.observer.warning({ code: 'unusable_update', message });
        return true;
      }
    };
  }

  private ready(data: GatewayReadyDispatchData): void {
    if (this.introducing || !this.isLive) return;
    this.introduced = true;
    this.parts.memory.began(data);
    this.restored();
  }

  private resumed(events: GatewayEvents): void {
    if (!this.isLive) return;
    if (!this.introduced) this.introduce(events);
    this.restored();
  }

  /**
   * A client that begins by resuming is told by nobody who the bot is, and would queue every event for ever. It is told
   * with the session's own Ready, without the guilds: they are not sent again.
   */
  private introduce(events: GatewayEvents): void {
    const { ready, session } = this.parts.memory;
    if (!ready) return;
    const data = { ...ready, guilds: [] };
    const packet = { op: GatewayOpcodes.Dispatch, t: GatewayDispatchEvents.Ready, s: session?.sequence ?? 0, d: data };
    this.introducing = true;
    events.emit('ready', { data, shardId: 0 });
    events.emit('dispatch', { data: packet, shardId: 0 });
    this.introducing = false;
    this.introduced = true;
  }

  private restored(): void {
    clearTimeout(this.readyTimer);
    this.proven();
    this.inbound.fillGaps();
  }

  private proven(): void {
    const bot = this.parts.memory.bot;
    if (!this.isLive || !bot) return;
    const details: ConnectionDetails = { bot_username: bot.username, bot_id: bot.id };
    this.parts.observer.proven(details);
  }

  private dispatch(packet: GatewayDispatchPayload): void {
    const { sequence } = this.parts.memory;
    if (!this.isLive) return;
    if (packet.t !== GatewayDispatchEvents.MessageCreate) return sequence.pass(packet.s);
    if (!sequence.begin(packet.s)) return;
    this.inbound.take(packet.d, () => sequence.done(packet.s));
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

  /** From here on nothing that discord.js does counts any more. */
  private end(error?: ConnectionError): void {
    clearTimeout(this.readyTimer);
    this.work.abort();
    if (error) this.ended.reject(error);
    else this.ended.resolve();
  }

  private async close(context: INestApplicationContext): Promise<void> {
    try {
      await this.gateway?.destroy({ code: RESUMABLE_CLOSE, reason: 'the gateway will resume' });
      await context.close();
    } catch (error) {
      this.logger.debug({ err: error }, 'A connection to Discord was not closed in order');
    }
  }
}

function unreachable(reason: string): ConnectionError {
  return new ConnectionError({ code: 'unreachable', message: `Discord cannot be reached: ${reason}.` }, false);
}
