import type { APIMessage } from 'discord.js';
import type { ConnectionFault } from '../../platform.port';
import { pause, Semaphore } from '#http-client';
import { type DiscordApi, MESSAGE_PAGE } from '../discord-api';
import { faultOf, isFinal, retryAfterOf } from '../discord-errors';
import type { DiscordTimings } from '../discord.options';
import type { GatewayMemory, KnownChannel } from './gateway-memory';

/** Concurrent requests. At about 0.2 s each they use half of the 50 calls a second that a bot has; sends use the rest. */
const CONCURRENT = 5;
/**
 * After this many failures in a row a channel is postponed. After this many across channels, all are postponed: Discord is
 * failing.
 */
const TRIES = 3;
/** The longest pause, in milliseconds, for which newer messages of a channel wait. */
const LONGEST_HOLD_MS = 5_000;

export interface GapFillParts {
  api: DiscordApi;
  memory: GatewayMemory;
  timings: DiscordTimings;
  warn: (fault: ConnectionFault) => void;
  /** False when the connection ended before the message was stored. */
  store: (message: APIMessage, guild: KnownChannel['guild']) => Promise<boolean>;
}

/**
 * Reads the messages that a lost session missed. A channel that cannot be read now keeps its gap for a later call. A channel
 * that is gone, or closed to the bot, is given up.
 */
export class GapFill {
  private readonly requests = new Semaphore(CONCURRENT);
  /** Consecutive failures across all channels. */
  private failures = 0;

  constructor(
    private readonly parts: GapFillParts,
    private readonly signal: AbortSignal,
  ) {}

  /** Earlier failures do not count against the next requests. */
  begin(): void {
    this.failures = 0;
  }

  /**
   * Resolves once newer messages of the channel may be stored: its gap is filled, or a read failed. After a failure it tries
   * again while newer messages pass.
   * @param ended called when the gap is filled, postponed or given up
   */
  fill(channelId: string, ended: () => void): Promise<void> {
    return new Promise((resolve) => {
      void this.read(channelId, resolve)
        .catch((error: unknown) => this.parts.warn(faultOf(error)))
        .finally(() => {
          ended();
          resolve();
        });
    });
  }

  private async read(channelId: string, letPass: () => void): Promise<void> {
    const { gaps, channels } = this.parts.memory;
    const guild = channels.peek(channelId)?.guild;
    for (let after; (after = gaps.get(channelId)) !== undefined && !this.signal.aborted;) {
      const page = await this.page(channelId, after, letPass);
      if (!page) return;
      for (const message of page) if (!(await this.parts.store(message, guild))) return;
      const last = page.at(-1)?.id;
      // The gateway delivers messages written after this request.
      if (last === undefined || page.length < MESSAGE_PAGE) gaps.delete(channelId);
      else gaps.set(channelId, last);
    }
  }

  /** Undefined if the channel is unreadable, temporarily or permanently, or the connection ended. */
  private async page(channelId: string, after: string, letPass: () => void): Promise<APIMessage[] | undefined> {
    const { timings, warn } = this.parts;
    for (let failures = 0; failures < TRIES && !this.signal.aborted;) {
      try {
        return await this.requests.run(() => this.ask(channelId, after));
      } catch (error) {
        if (this.signal.aborted) return undefined;
        const waitMs = retryAfterOf(error);
        // Many concurrent channels often meet a limit: no warning.
        if (waitMs === undefined) {
          warn(unread(channelId, error));
          if (isFinal(error)) return this.giveUp(channelId);
          failures += 1;
          this.postpone(channelId, after);
        }
        if (waitMs === undefined || waitMs > LONGEST_HOLD_MS) letPass();
        await pause(waitMs ?? timings.pauseMs, this.signal);
      }
    }
    return undefined;
  }

  /** Undefined, without a request, when all channels are postponed. */
  private async ask(channelId: string, after: string): Promise<APIMessage[] | undefined> {
    if (this.failures >= TRIES) return undefined;
    try {
      const page = await this.parts.api.messagesAfter(channelId, after, this.signal);
      this.failures = 0;
      return page;
    } catch (error) {
      // Count it before the next request starts.
      if (isFinal(error)) this.failures = 0;
      else if (retryAfterOf(error) === undefined) this.failures += 1;
      throw error;
    }
  }

  /** Moves the channel to the end: next time the others come first. */
  private postpone(channelId: string, after: string): void {
    const { gaps } = this.parts.memory;
    gaps.delete(channelId);
    gaps.set(channelId, after);
  }

  private giveUp(channelId: string): undefined {
    const { gaps, channels } = this.parts.memory;
    gaps.delete(channelId);
    channels.delete(channelId);
  }
}

function unread(channelId: string, error: unknown): ConnectionFault {
  const outlook = isFinal(error) ? 'and will not be' : 'yet';
  const message = `Missed messages of channel ${channelId} were not read ${outlook}: ${faultOf(error).message}`;
  return { code: 'gap', message };
}
