import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateQueue } from './telegram-updates';

export interface WebhookRegistration {
  url: string;
  secretToken: string;
  maxConnections: number;
}

/**
 * Posts the pending updates to the registered URL, one at a time and in order, and repeats each until a 2xx answer. The
 * real Telegram posts several at once (`max_connections`): a receiver must not rely on the order.
 */
export class UpdateSender {
  lastError: { date: number; message: string } | undefined;
  #signal = Promise.withResolvers<void>();

  constructor(
    private readonly updates: UpdateQueue,
    /** Pause before an update is posted again, unless the receiver names one with `Retry-After`. */
    private readonly retryMs: number,
    /** Called with a Bot API method that the receiver puts into its answer. */
    private readonly onReply: (method: string, params: Record<string, unknown>) => void,
    private readonly onPosted: () => void,
  ) {}

  signal(): void {
    this.#signal.resolve();
  }

  /** Runs until `signal` aborts. */
  async run({ url, secretToken }: WebhookRegistration, signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (!signal.aborted) {
      const update = this.updates.pending[0];
      if (!update) {
        this.#signal = Promise.withResolvers();
        await Promise.race([this.#signal.promise, stopped]);
        continue;
      }
      const retryAfterMs = await this.#post(url, secretToken, update, signal);
      if (signal.aborted) return;
      if (retryAfterMs === undefined) this.updates.confirmBelow(update.update_id + 1);
      this.onPosted();
      if (retryAfterMs !== undefined) await sleep(retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns undefined if accepted, else the milliseconds until the next attempt */
  async #post(url: string, secretToken: string, update: unknown, signal: AbortSignal): Promise<number | undefined> {
    const secret = secretToken ? { 'X-Telegram-Bot-Api-Secret-Token': secretToken } : undefined;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...secret },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal,
      });
      const text = await response.text();
      if (response.ok) {
        this.#reply(text);
        return undefined;
      }
      this.#failed(`Wrong response from the webhook: ${response.status} ${response.statusText}`);
      return Number(response.headers.get('retry-after') ?? 0) * 1000 || this.retryMs;
    } catch (error) {
      if (!signal.aborted) this.#failed(`Connection failed: ${(error as Error).message}`);
      return this.retryMs;
    }
  }

  #reply(text: string): void {
    const found = /"method"\s*:/.test(text) && (parseJson(text) as { method?: string } | undefined);
    if (!found || !found.method) return;
    const { method, ...params } = found;
    this.onReply(method, params);
  }

  #failed(message: string): void {
    this.lastError = { date: Math.floor(Date.now() / 1000), message };
  }
}

/** Undefined for text that is not JSON: a receiver may answer with any text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
