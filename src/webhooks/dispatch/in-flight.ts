import type { DueDispatch, Places } from './due-dispatches.service';

/** Attempts under way at once in one environment, in one instance. */
export const LIMIT = 1_000;
/** The part of these places that one webhook may hold: a slow receiver delays only itself. */
const SHARE = 1 / 16;
/**
 * Places of a webhook whose receiver has not answered with success, last or yet: many receivers that never answer leave most
 * places free. Also of a webhook's old dispatches: a replay must not slow live requests down.
 */
const LEAST = 4;

interface Receiver {
  underWay: number;
  /** How many of them are old. */
  old: number;
  /** Whether its last attempt succeeded. */
  isHealthy: boolean;
}

/** The attempts of one environment that are under way in this process. */
export class InFlight {
  private readonly attempts = new Map<Promise<void>, { dispatch: DueDispatch; controller: AbortController }>();
  /** Receivers with attempts that wait for an answer, by webhook. */
  private readonly receivers = new Map<string, Receiver>();
  /** Webhooks that may have more due dispatches than they had places. */
  private readonly waiting = new Set<string>();
  /** Some webhooks wait because the environment has no free place. */
  private isCrowded = false;

  /**
   * @param limit how many may be under way at once
   * @param onFree gets a waiting webhook when a place becomes free
   */
  constructor(
    private readonly limit: number,
    private readonly onFree: (webhook: string) => void,
  ) {}

  get free(): number {
    return Math.max(this.limit - this.attempts.size, 0);
  }

  get dispatches(): DueDispatch[] {
    return [...this.attempts.values()].map(({ dispatch }) => dispatch);
  }

  /** How many more dispatches a webhook may have under way. */
  placesOf(webhook: string): Places {
    const { underWay, old, isHealthy } = this.receivers.get(webhook) ?? { underWay: 0, old: 0, isHealthy: false };
    const all = isHealthy ? Math.max(Math.floor(this.limit * SHARE), LEAST) : LEAST;
    return { all: Math.max(all - underWay, 0), old: Math.max(LEAST - old, 0) };
  }

  /** @param isCrowded the environment, and not only the webhook, has no free place */
  wait(webhook: string, isCrowded: boolean): void {
    this.waiting.add(webhook);
    this.isCrowded ||= isCrowded;
  }

  isWaiting(webhook: string): boolean {
    return this.waiting.has(webhook);
  }

  /**
   * Runs an attempt until it is recorded.
   * @param attempt calls `answered` when the receiver's part is over, which frees its webhook's place
   */
  add(
    dispatch: DueDispatch,
    attempt: (signal: AbortSignal, answered: (isSuccess: boolean) => void) => Promise<void>,
  ): void {
    const { webhook_id: webhook } = dispatch;
    const old = dispatch.is_old ? 1 : 0;
    const receiver = this.receivers.get(webhook) ?? { underWay: 0, old: 0, isHealthy: false };
    this.receivers.set(webhook, receiver);
    receiver.underWay += 1;
    receiver.old += old;
    let isHeld = true;
    const leave = (isSuccess: boolean) => {
      if (!isHeld) return;
      isHeld = false;
      receiver.isHealthy = isSuccess;
      receiver.underWay -= 1;
      receiver.old -= old;
      if (receiver.underWay === 0) this.receivers.delete(webhook);
      this.wake(webhook);
    };
    const controller = new AbortController();
    const run = attempt(controller.signal, leave).finally(() => {
      this.attempts.delete(run);
      leave(false);
      if (this.isCrowded) this.wakeAll();
    });
    this.attempts.set(run, { dispatch, controller });
  }

  abort(reason: Error): void {
    for (const { controller } of this.attempts.values()) controller.abort(reason);
  }

  /** Resolves when nothing is under way; nothing may be added meanwhile. */
  async empty(): Promise<void> {
    await Promise.allSettled(this.attempts.keys());
  }

  private wake(webhook: string): void {
    if (this.waiting.delete(webhook)) this.onFree(webhook);
  }

  private wakeAll(): void {
    this.isCrowded = false;
    for (const webhook of this.waiting) this.wake(webhook);
  }
}
