import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type {
  ConnectionObserver,
  InboundSink,
  OutboundPart,
  PartOutcome,
  PlatformAdapter,
  PlatformCapabilities,
  RateLimitNotice,
  SendOptions,
  SendRequest,
} from '../platform.port';
import type { DiscordApi } from './discord-api';
import { DISCORD_OPTIONS, DISCORD_TIMINGS, type DiscordOptions, type DiscordTimings } from './discord.options';
import type { GatewayMemory } from './connection/gateway-memory';
import { MAX_LENGTH, partsOf } from './outbound/rendering';
import { refused } from '../refusal';
import type { Sender } from './outbound/sender';
import { TokenCheck } from '../token-check';

/** What needs discord.js. */
interface Parts {
  api: DiscordApi;
  memory: GatewayMemory;
  sender: Sender;
  run: (sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal) => Promise<void>;
}

@Injectable()
export class DiscordAdapter implements PlatformAdapter, OnApplicationShutdown {
  readonly platform = 'discord';
  readonly capabilities: PlatformCapabilities = {
    maxTextLength: MAX_LENGTH,
    // "In the past few minutes": enforce_nonce of https://discord.com/developers/docs/resources/message#create-message
    deduplicatesSends: true,
    confirmation: 'platform',
    confirmAfterMs: 0,
    // Discord asks for a heartbeat every 41 s or so: two of them, and some.
    livenessMs: 100_000,
    receivesBy: 'connection',
  };
  /** Discord shows it for ten seconds. */
  readonly typingIntervalMs = 9_000;
  readonly unconfigured: string | undefined;

  private readonly logger = new Logger(DiscordAdapter.name);
  private readonly timings: DiscordTimings;
  private loaded: Parts | undefined;
  private limited: (notice: RateLimitNotice) => void = () => undefined;

  constructor(@Inject(DISCORD_OPTIONS) private readonly options: DiscordOptions) {
    this.unconfigured = options.token ? undefined : 'not configured';
    this.timings = { ...DISCORD_TIMINGS, ...options.timings };
  }

  async run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.parts.run(sink, observer, signal);
  }

  /** White space alone is not a message to Discord: such parts (a long run of blank lines) are left out. */
  split(text: string, { parseMode }: SendOptions): OutboundPart[] {
    const parts = partsOf(text, parseMode);
    const visible = parts.filter((part) => part.trim() !== '');
    return (visible.length > 0 ? visible : parts.slice(0, 1)).map((part, index) => ({ index, text: part }));
  }

  async sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (this.unconfigured) return refused('platform_unavailable', this.unconfigured);
    return this.parts.sender.send(request, part, signal);
  }

  async showTyping(recipient: string, address: string | undefined): Promise<void> {
    if (this.unconfigured) return;
    const { api, sender } = this.parts;
    await api.showTyping(sender.channelOf(recipient, address)).catch((error: unknown) => {
      this.logger.debug(`typing is not shown: ${error instanceof Error ? error.name : String(error)}`);
    });
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    this.limited = listener;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loaded?.api.close();
  }

  private get parts(): Parts {
    this.loaded ??= load(this.options, this.timings, (notice) => this.limited(notice));
    return this.loaded;
  }
}

function load(options: DiscordOptions, timings: DiscordTimings, limited: (notice: RateLimitNotice) => void): Parts {
  // oxlint-disable-next-line typescript/no-require-imports -- discord.js costs 80 MB and most of a second: only a gateway with a Discord bot pays
  const runtime = require('./connection/runtime') as typeof import('./connection/runtime');
  const api: DiscordApi = new runtime.DiscordApi(options, timings, limited, () => check.suspect());
  const check = new TokenCheck((signal) => api.gatewayBot(signal), runtime.connectionError);
  const memory = new runtime.GatewayMemory();
  const sender = new runtime.Sender(api, (channelId, messageId) => memory.wrote(channelId, messageId));
  return {
    api,
    memory,
    sender,
    run: (sink, observer, signal) =>
      check.during(signal, (live) =>
        new runtime.Connection({ api, memory, options, timings, sink, observer }).run(live),
      ),
  };
}
