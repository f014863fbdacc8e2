import { createHmac } from 'node:crypto';
import { TelegramError } from 'telegraf';
import type { WebhookInfo } from 'telegraf/types';
import type { TelegramUpdate } from '@gramio/types/objects';
import { isEqualInConstantTime } from '#contracts';
import {
  type CallbackHead,
  ConnectionError,
  type ConnectionDetails,
  type ConnectionFault,
  type ConnectionObserver,
} from '../../platform.port';
import type { BotApi } from '../bot-api';
import { connectionError, faultOf, isPassing } from '../connection-faults';
import { pause } from '#http-client';
import { ALLOWED_UPDATES } from './kinds/update-kinds';
import { waitingOf } from './polling';
import type { TelegramTimings } from '../telegram.options';

/** Receives by webhook (https://core.telegram.org/bots/api#setwebhook). */
export class Webhook {
  constructor(
    private readonly api: BotApi,
    private readonly url: string,
    private readonly secret: string,
    private readonly timings: TelegramTimings,
  ) {}

  /** Sets the webhook, then proves again and again that it is set. */
  async run(details: ConnectionDetails, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    try {
      await this.set(signal);
      await this.watch(details, observer, signal);
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  /** Whether a request at the callback path comes from Telegram. */
  authenticates({ headers }: CallbackHead): boolean {
    const given = headers['x-telegram-bot-api-secret-token'];
    return typeof given === 'string' && isEqualInConstantTime(given, this.secret);
  }

  private async set(signal: AbortSignal): Promise<void> {
    const payload = { url: this.url, secret_token: this.secret, allowed_updates: ALLOWED_UPDATES };
    try {
      await this.api.call('setWebhook', payload, { signal, deadlineMs: this.timings.answerMs });
    } catch (error) {
      if (!(error instanceof TelegramError) || error.code !== 400) throw error;
      const message = `Telegram refuses TELEGRAM_WEBHOOK_URL or TELEGRAM_WEBHOOK_SECRET: ${error.description}.`;
      throw new ConnectionError({ code: 'webhook_refused', message, direction: 'receiving' }, true);
    }
  }

  private async watch(details: ConnectionDetails, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    let lastError: number | undefined;
    let wasSet = false;
    for (let mayFail = false; !signal.aborted;) {
      try {
        const info = await this.info(signal);
        wasSet ||= info.url === this.url;
        // Some servers accept a webhook but never show it: an empty URL means a removal only if ours was shown before.
        const isReplaced = info.url === '' ? wasSet : info.url !== undefined && info.url !== this.url;
        if (isReplaced) throw replaced(info);
        observer.proven(details);
        const waiting = waitingOf(info);
        const { last_error_date: failedAt = 0 } = info;
        if (waiting !== undefined) observer.backlog(waiting);
        mayFail = true;
        // The first error that is read may be a week old. It is current only if updates still wait.
        const isNew = lastError === undefined ? failedAt > 0 && (waiting ?? 0) > 0 : failedAt > lastError;
        if (isNew) observer.warning(undelivered(info));
        lastError = failedAt;
        await pause(this.timings.webhookCheckMs, signal);
      } catch (error) {
        if (signal.aborted || !mayFail || !isPassing(error)) throw error;
        observer.warning(faultOf(error));
        mayFail = false;
        await pause(this.timings.pauseMs, signal);
      }
    }
  }

  /** Empty if the server does not know the method: some know only the most common ones. */
  private async info(signal: AbortSignal): Promise<Partial<WebhookInfo>> {
    try {
      const info = await this.api.call('getWebhookInfo', {}, { signal, deadlineMs: this.timings.answerMs });
      return typeof info?.url === 'string' ? info : {};
    } catch (error) {
      // The token is right: the webhook was just set with it.
      if (error instanceof TelegramError && error.code === 404) return {};
      throw error;
    }
  }
}

/** The default secret: without one, strangers could post messages. It is the same on every instance. */
export function derivedSecret(token: string): string {
  return createHmac('sha256', token).update('telegram webhook secret').digest('hex');
}

function replaced({ url }: Partial<WebhookInfo>): ConnectionError {
  const now = url ? `set to ${URL.parse(url)?.host ?? 'another address'}` : 'removed';
  const message = `The webhook of this bot was ${now} by another program. It is set again.`;
  return new ConnectionError({ code: 'webhook_replaced', message, direction: 'receiving' }, false);
}

function undelivered({ last_error_message, pending_update_count = 0 }: Partial<WebhookInfo>): ConnectionFault {
  const reason = last_error_message ?? 'no reason given';
  const message = `Telegram could not deliver to the webhook: ${reason}; ${pending_update_count} updates are waiting.`;
  return { code: 'webhook_undelivered', message, direction: 'receiving' };
}

/** Undefined when the body is not an update. */
export function parseUpdate(rawBody: Buffer): TelegramUpdate | undefined {
  try {
    const update = JSON.parse(rawBody.toString('utf8')) as TelegramUpdate | null;
    return typeof update?.update_id === 'number' ? update : undefined;
  } catch {
    return undefined;
  }
}
