import { TelegramError } from 'telegraf';
import type { TelegramUpdate } from '@gramio/types/objects';
import type { WebhookInfo } from 'telegraf/types';
import { wordsOf } from '../../fault-words';
import { ConnectionError, type ConnectionDetails, type ConnectionObserver } from '../../platform.port';
import type { BotApi } from '../bot-api';
import { connectionError, faultOf, isPassing } from '../connection-faults';
import type { InboundProcessor } from './inbound-processor';
import { ALLOWED_UPDATES } from './kinds/update-kinds';
import { pause } from '#http-client';
import type { TelegramTimings } from '../telegram.options';

const OFFSET_KEPT_MS = 86_400_000;
const AT_ONCE_MS = 250;

/**
 * Receives by long polling (https://core.telegram.org/bots/api#getupdates). An update is confirmed, by asking for a
 * higher offset, only after it is stored.
 */
export class Polling {
  /**
   * Kept for a day after the last update. Kept longer it could lose messages: after a week without updates Telegram
   * starts again at a random, perhaps lower, id, and a higher offset confirms what was never seen.
   */
  private offset: number | undefined;
  private offsetSetAt = 0;

  constructor(
    private readonly api: BotApi,
    private readonly timings: TelegramTimings,
  ) {}

  /** Resolves when the signal aborts, rejects with a ConnectionError when polling does not work. */
  async run(
    inbound: InboundProcessor,
    details: ConnectionDetails,
    observer: ConnectionObserver,
    signal: AbortSignal,
  ): Promise<void> {
    const ended = new AbortController();
    void this.watchBacklog(observer, AbortSignal.any([signal, ended.signal]));
    try {
      await this.poll(inbound, details, observer, signal);
    } finally {
      ended.abort();
    }
  }

  /** Runs beside the polls, and rarely: Telegram counts an update as pending until it is confirmed. Never rejects. */
  private async watchBacklog(observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    // Updates from before the start are still arriving.
    await pause(this.timings.backlogCheckMs, signal);
    while (!signal.aborted) {
      try {
        const info = await this.api.call('getWebhookInfo', {}, { signal, deadlineMs: this.timings.answerMs });
        const waiting = waitingOf(info);
        if (!signal.aborted && waiting !== undefined) observer.backlog(waiting);
      } catch {
        // The polls show whether Telegram can be reached; a failure to read this number alone is no fault.
      }
      await pause(this.timings.backlogCheckMs, signal);
    }
  }

  private async poll(
    inbound: InboundProcessor,
    details: ConnectionDetails,
    observer: ConnectionObserver,
    signal: AbortSignal,
  ): Promise<void> {
    // The first poll returns at once, because the connection counts as proven only when a poll has completed.
    let timeout = 0;
    this.offset = undefined;
    let mayFail = false;
    // Some servers hold the first poll open anyway: give it as long as any other.
    let firstWait = this.timings.pollSeconds;
    while (!signal.aborted) {
      const askedAt = performance.now();
      const updates = await this.ask(timeout, firstWait, signal).catch(async (error: unknown) => {
        if (signal.aborted) return undefined;
        if (!mayFail || !isPassing(error)) throw await this.explained(error, signal);
        // One poll that fails is not yet a lost connection: Telegram answers 502 now and then.
        observer.warning(faultOf(error));
        return undefined;
      });
      mayFail = updates !== undefined;
      if (signal.aborted) return;
      if (!updates) {
        timeout = 0;
        await pause(this.timings.pauseMs, signal);
        continue;
      }
      if (performance.now() - this.offsetSetAt > OFFSET_KEPT_MS) this.offset = undefined;
      observer.proven(details);
      const before = this.offset;
      if (updates.length > 0) await this.store(updates, inbound, signal);
      // Some Bot API servers answer at once, whatever the timeout, or repeat confirmed updates: pause before the next poll.
      const nothingNew = updates.length === 0 ? timeout > 0 : this.offset === before;
      if (nothingNew && performance.now() - askedAt < AT_ONCE_MS) await pause(AT_ONCE_MS, signal);
      timeout = this.timings.pollSeconds;
      firstWait = 0;
    }
  }

  private async ask(timeout: number, answerSeconds: number, signal: AbortSignal): Promise<TelegramUpdate[]> {
    const deadlineMs = Math.max(timeout, answerSeconds) * 1000 + this.timings.answerMs;
    const payload = { offset: this.offset, limit: 100, timeout, allowed_updates: ALLOWED_UPDATES };
    const updates = await this.api.call('getUpdates', payload, { signal, deadlineMs });
    return updates as unknown as TelegramUpdate[];
  }

  /** Returns as soon as the signal aborts. Telegram sends the updates that are being stored again, and the gateway recognises them. */
  private async store(updates: TelegramUpdate[], inbound: InboundProcessor, signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<undefined>();
    const abort = (): void => aborted.resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const processed = await Promise.race([inbound.all(updates, signal), aborted.promise]);
      if (!processed || signal.aborted) return;
      this.offset = processed.nextOffset;
      this.offsetSetAt = performance.now();
      if (processed.failed) await pause(this.timings.pauseMs, signal);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Telegram answers 409 for two reasons: finds out which, so that the operator can end it. */
  private async explained(error: unknown, signal: AbortSignal): Promise<ConnectionError> {
    const isWebhook = error instanceof TelegramError && error.code === 409 && /webhook/i.test(error.description);
    if (!isWebhook) return connectionError(error);
    const where = await this.webhookHost(signal);
    const message =
      `Updates of this bot go to a webhook at ${where}, so they cannot be polled for. Remove the webhook (deleteWebhook, ` +
      'without drop_pending_updates), or set TELEGRAM_WEBHOOK_URL if it is to be used.';
    return new ConnectionError({ code: 'webhook_set', message }, false);
  }

  private async webhookHost(signal: AbortSignal): Promise<string> {
    try {
      const { url } = await this.api.call('getWebhookInfo', {}, { signal, deadlineMs: this.timings.answerMs });
      return URL.parse(url ?? '')?.host ?? 'an unknown address';
    } catch (error) {
      return `an address that could not be asked for (${wordsOf(error)})`;
    }
  }
}

/** How many updates wait; undefined if the server sends no number. */
export function waitingOf(info: Partial<WebhookInfo>): number | undefined {
  const { pending_update_count: waiting } = info;
  return Number.isSafeInteger(waiting) && waiting! >= 0 ? waiting : undefined;
}
