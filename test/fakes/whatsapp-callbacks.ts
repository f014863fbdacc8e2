import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Posts signed notifications to the callback URL, one at a time and in order, and repeats each until it is answered with 200.
 * The real WhatsApp posts many at once, in any order, some twice, for up to seven days: a receiver must not rely on the order.
 */
export class CallbackSender {
  readonly pending: unknown[] = [];
  /** Status codes of the answers, in order; 0: no answer. */
  readonly answers: number[] = [];
  #posting: Promise<void> | undefined;
  #url: string | undefined;

  constructor(
    private readonly appSecret: string,
    private readonly retryMs: number,
    private readonly onPosted: () => void,
  ) {}

  /** @param url undefined: notifications wait */
  subscribe(url: string | undefined): void {
    this.#url = url;
    this.#signal();
  }

  push(notification: unknown): void {
    this.pending.push(notification);
    this.#signal();
  }

  /** Posts once, at once. @returns the status; 0: no answer */
  async post(notification: unknown, url = this.#url): Promise<number> {
    const body = typeof notification === 'string' ? notification : JSON.stringify(notification);
    if (url === undefined) return 0;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': this.sign(body) },
      body,
    }).catch(() => undefined);
    await answer?.text();
    return answer?.status ?? 0;
  }

  sign(body: string): string {
    return `sha256=${createHmac('sha256', this.appSecret).update(body).digest('hex')}`;
  }

  async stop(): Promise<void> {
    this.#url = undefined;
    await this.#posting;
  }

  #signal(): void {
    this.#posting ??= this.#run().finally(() => {
      this.#posting = undefined;
      if (this.pending.length > 0 && this.#url !== undefined) this.#signal();
    });
  }

  async #run(): Promise<void> {
    while (this.pending.length > 0 && this.#url !== undefined) {
      const status = await this.post(this.pending[0]);
      this.answers.push(status);
      if (status === 200) this.pending.shift();
      this.onPosted();
      if (status !== 200) await sleep(this.retryMs);
    }
  }
}
