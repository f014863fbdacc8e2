import type { APIMessage } from 'discord.js';
import type { ConnectionFault } from '../../platform.port';
import { pause, Semaphore } from '#http-client';
import { type DiscordApi, MESSAGE_PAGE } from '../discord-api';
import { faultOf, isFinal, retryAfterOf } from '../discord-errors';
import type { DiscordTimings } from '../discord.options';
import type { GatewayMemory, KnownChannel } from './gateway-memory';

/** Questions at once. Answered in some 0.2 s, they leave half of the 50 calls a second that a bot has to what is sent. */
const CONCURRENT = 5;
/**
 * After so many failures in a row a channel is put off, and after so many of any channels the rest of them: it is not this
 * channel that fails then.
 */
const TRIES = 3;
/** How long a pause that Discord asks for may hold up what is written meanwhile, in milliseconds. */
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
 * Reads what a lost session did not bring. A channel that cannot be read for the moment keeps its gap, for a later call;
 * one that is gone, or closed to the bot, is given up.
 */
export class GapFill {
  private readonly requests = new Semaphore(CONCURRENT);
  /** Of any channels, since Discord last answered one. */
  private failures = 0;

  constructor(
    private readonly parts: GapFillParts,
    private readonly signal: AbortSignal,
  ) {}

  /** Failures before this say nothing about the questions after it. */
  begin(): void {
    this.failures = 0;
  }

  /**
   * Resolves once nothing newer of the channel has to wait any longer: its gap is filled, or that failed. It is then tried
   * again beside what is written.
   * @param ended called when it is filled, put off or given up
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
      // What was written after that question comes by the gateway.
      if (last === undefined || page.length < MESSAGE_PAGE) gaps.delete(channelId);
      else gaps.set(channelId, last);
    }
  }

  /** Undefined when there is nothing to be had, now or ever, or the connection ended. */
  private async page(channelId: string, after: string, letPass: () => void): Promise<APIMessage[] | undefined> {
    const { timings, warn } = this.parts;
    for (let failures = 0; failures < TRIES && !this.signal.aborted;) {
      try {
        return await this.requests.run(() => this.ask(channelId, after));
      } catch (error) {
        if (this.signal.aborted) return undefined;
        const waitMs = retryAfterOf(error);
        // Many channels at once meet a limit as a matter of course.
        if (waitMs === undefined) {
          warn(unread(channelId, error));
          if (isFinal(error)) return this.giveUp(channelId);
          failures += 1;
          this.putOff(channelId, after);
        }
        if (waitMs === undefined || waitMs > LONGEST_HOLD_MS) letPass();
        await pause(waitMs ?? timings.pauseMs, this.signal);
      }
    }
    return undefined;
  }

  /** Undefined where it would fail like the others. */
  private async ask(channelId: string, after: string): Promise<APIMessage[] | undefined> {
    if (this.failures >= TRIES) return undefined;
    try {
      const page = await this.parts.api.messagesAfter(channelId, after, this.signal);
      this.failures = 0;
      return page;
    } catch (error) {
      // Counted before the next one is asked.
      if (isFinal(error)) this.failures = 0;
      else if (retryAfterOf(error) === undefined) this.failures += 1;
      throw error;
    }
  }

  /** The others are asked first the next time. */
  private putOff(channelId: string, after: string): void {
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
