import type { Client } from 'discord.js';
import type { ConnectionObserver, InboundSink } from '../platform.port';
import { TokenCheck } from '../connection/token-check';
import { Connection } from './connection/connection';
import { GatewayMemory } from './connection/gateway-memory';
import { DiscordApi } from './discord-api';
import { connectionError } from './discord-errors';
import { DISCORD_TIMINGS, type DiscordOptions, type DiscordTimings } from './discord.options';
import { Downloads } from './inbound/downloads';
import { largestOf } from './outbound/file-rules';
import { Sender } from './outbound/sender';

/** The state that outlives connections: the REST client with its rate limits, and the gateway session. */
export class DiscordBot {
  readonly api: DiscordApi;
  readonly sender: Sender;
  readonly downloads: Downloads;
  private readonly memory = new GatewayMemory();
  private readonly timings: DiscordTimings;
  private readonly tokenCheck: TokenCheck;

  constructor(
    private readonly client: Client,
    private readonly options: DiscordOptions,
  ) {
    this.timings = { ...DISCORD_TIMINGS, ...options.timings };
    this.api = new DiscordApi(options, this.timings, () => this.tokenCheck.check());
    this.downloads = new Downloads(this.api, this.timings);
    this.tokenCheck = new TokenCheck((signal) => this.api.gatewayBot(signal), connectionError);
    this.sender = new Sender(this.api, (channelId, messageId) => this.memory.wrote(channelId, messageId));
  }

  /** The largest file that a channel takes, in bytes. Direct messages, and channels that cannot be read, have the usual limit. */
  async largestFile(recipient: string, address: string | undefined): Promise<number> {
    const tier = await this.api.premiumTier(this.sender.channelOf(recipient, address)).catch(() => undefined);
    return largestOf(tier);
  }

  /** Id and name of the bot. @throws ConnectionError */
  async identity(signal: AbortSignal): Promise<{ id: string; username: string }> {
    return this.api.me(signal).catch((error: unknown) => {
      throw connectionError(error);
    });
  }

  /** Keeps one connection, as `PlatformAdapter.run` says. */
  async run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    const { client, api, memory, options, timings } = this;
    await this.tokenCheck.during(signal, (live) =>
      new Connection({ client, api, memory, options, timings, sink, observer }).run(live),
    );
  }
}
