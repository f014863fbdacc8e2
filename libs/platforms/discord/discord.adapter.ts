import { Inject, Injectable, Logger, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { AccountIdentity, LiveAdapter, OtherAccount } from '../account.port';
import { failed } from '../media/download';
import { textParts } from '../media/plan';
import type { Download } from '../media.port';
import type {
  ConnectionObserver,
  InboundSink,
  OutboundContent,
  OutboundPart,
  PartOutcome,
  PlatformCapabilities,
  RateLimitNotice,
  SendOptions,
  SendPlan,
  SendRequest,
} from '../platform.port';
import type { DiscordBot } from './discord-bot';
import { DISCORD_BOT, DISCORD_OPTIONS, type DiscordOptions } from './discord.options';
import { DEFAULT_LARGEST } from './outbound/file-rules';
import { planDiscord, texts } from './outbound/plan';
import { MAX_LENGTH } from './outbound/rendering';
import { planInteractive } from '../interactive';
import type { Interactive } from '../interactive.port';
import { refused } from '../refusal';

const NOT_CONFIGURED = 'not configured';

@Injectable()
export class DiscordAdapter implements LiveAdapter<'discord'>, OnApplicationShutdown {
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

  constructor(
    @Inject(DISCORD_OPTIONS) private readonly options: DiscordOptions,
    @Optional() @Inject(DISCORD_BOT) private readonly bot?: DiscordBot,
  ) {
    this.unconfigured = bot ? undefined : NOT_CONFIGURED;
  }

  /** A token begins with the id of its bot, in base64. */
  get externalId(): string | undefined {
    const id = Buffer.from(this.options.token?.split('.')[0] ?? '', 'base64').toString('latin1');
    return /^\d+$/.test(id) ? id : undefined;
  }

  /** All bots share one client, which only passes events on: each event brings the processor of its connection. */
  async another({ credentials }: OtherAccount<'discord'>): Promise<DiscordAdapter> {
    const options = { ...this.options, token: credentials.bot_token };
    const { otherBot } = await import('./discord-bot.module.js');
    return new DiscordAdapter(options, otherBot(options));
  }

  async identity(signal: AbortSignal): Promise<AccountIdentity> {
    const { id, username } = await this.bot!.identity(signal);
    return { externalId: id, details: { bot_username: username, bot_id: id } };
  }

  async run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.bot?.run(sink, observer, signal);
  }

  split(text: string, { parseMode }: SendOptions): OutboundPart[] {
    return textParts(texts(text, parseMode));
  }

  /** Only a file above the usual limit needs to know how far the guild is boosted. */
  async plan(content: OutboundContent): Promise<SendPlan> {
    const { files = [], options, recipient, address, interactive } = content;
    if (interactive) {
      const split = (text: string, rendering: SendOptions) => this.split(text, rendering);
      const describes = ({ type, options: all }: Interactive) => type === 'list' && all.every(({ url }) => !url);
      return planInteractive(content, interactive, { split, canShow: () => true, describes });
    }
    const isUsual = files.every(({ sizeBytes }) => sizeBytes <= DEFAULT_LARGEST);
    const largest = isUsual || !this.bot ? DEFAULT_LARGEST : await this.bot.largestFile(recipient, address);
    return planDiscord(content, options.parseMode, largest);
  }

  async sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    if (!this.bot) return refused('platform_unavailable', NOT_CONFIGURED);
    return this.bot.sender.send(request, part, signal);
  }

  async download(ref: string, signal: AbortSignal): Promise<Download> {
    return this.bot?.downloads.start(ref, signal) ?? failed('later', NOT_CONFIGURED);
  }

  async showTyping(recipient: string, address: string | undefined): Promise<void> {
    if (!this.bot) return;
    const { api, sender } = this.bot;
    await api.showTyping(sender.channelOf(recipient, address)).catch((error: unknown) => {
      this.logger.debug(`typing is not shown: ${error instanceof Error ? error.name : String(error)}`);
    });
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    if (this.bot) this.bot.api.onRateLimit = listener;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.bot?.api.close();
  }
}
