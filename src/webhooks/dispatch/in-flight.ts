import type { DueDispatch, Places } from './due-dispatches.service';

/** Attempts under way at once in one environment, in one instance. */
export const LIMIT = 1_000;
/** Concurrent attempts of one webhook: a slow receiver delays only itself. */
const PER_WEBHOOK = 128;
/** Concurrent old dispatches of one webhook: a replay must not slow live requests down. */
const OLD_PER_WEBHOOK = 4;
/**
 * A webhook gets at most this part of the free places. So its share shrinks with the number of webhooks that want places, and
 * some places stay free for later webhooks (A. K. Choudhury and E. L. Hahne, "Dynamic queue length thresholds", 1998).
 * Otherwise twenty receivers that never answer would hold all places, and healthy receivers would get none.
 */
const PART = 1 / 6;

interface Entry {
  dispatch: DueDispatch;
  startedAt: number;
  controller: AbortController;
}

/** The attempts of one environment that are under way in this process. */
export class InFlight {
  private readonly entries = new Map<Promise<void>, Entry>();
  /** Attempts that wait for their receiver, by webhook. */
  private readonly busy = new Map<string, Places>();
  /** Jobs of webhooks that wait for a place. */
  private readonly waiting = new Map<string, () => void>();

  /** @param limit how many may be under way at once */
  constructor(private readonly limit: number) {}

  get free(): number {
    return Math.max(this.limit - this.entries.size, 0);
  }

  /**
   * How many more dispatches a webhook may have under way.
   * @param rivals how many webhooks ask at once, this one included
   */
  placesOf(webhook: string, rivals: number): Places {
    const { fresh, old } = this.busy.get(webhook) ?? { fresh: 0, old: 0 };
    // After that, each of them holds PART of the places that are still free.
    const share = Math.floor((PART * this.free - fresh) / (1 + PART * rivals));
    return {
      fresh: Math.max(Math.min(share, PER_WEBHOOK - fresh), fresh === 0 ? 1 : 0),
      old: Math.max(OLD_PER_WEBHOOK - old, 0),
    };
  }

  /** Resolves when a place of the webhook becomes free after this call, or at `wake`. One job of a webhook waits at a time. */
  place(webhook: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(webhook, resolve));
  }

  wake(webhook: string): void {
    this.waiting.get(webhook)?.();
    this.waiting.delete(webhook);
  }

  wakeAll(): void {
    for (const webhook of this.waiting.keys()) this.wake(webhook);
  }

  /**
   * Runs an attempt until it is recorded.
   * @param attempt calls `answered` when the receiver's part is over, which frees its webhook's place
   */
  add(dispatch: DueDispatch, attempt: (signal: AbortSignal, answered: () => void) => Promise<void>): Promise<void> {
    const { webhook_id: webhook, is_old } = dispatch;
    const age = is_old ? 'old' : 'fresh';
    const controller = new AbortController();
    let isHeld = true;
    const leave = () => {
      if (isHeld) this.count(webhook, age, -1);
      isHeld = false;
      this.wake(webhook);
    };
    this.count(webhook, age, 1);
    const run = attempt(controller.signal, leave).finally(() => {
      const wasFull = this.free === 0;
      this.entries.delete(run);
      leave();
      if (wasFull) this.wakeAll();
    });
    this.entries.set(run, { dispatch, startedAt: performance.now(), controller });
    return run;
  }

  olderThan(ms: number): DueDispatch[] {
    const until = performance.now() - ms;
    return [...this.entries.values()].filter(({ startedAt }) => startedAt <= until).map(({ dispatch }) => dispatch);
  }

  abort(reason: Error): void {
    for (const { controller } of this.entries.values()) controller.abort(reason);
  }

  /** Resolves when nothing is under way; nothing may be added meanwhile. */
  async empty(): Promise<void> {
    await Promise.allSettled(this.entries.keys());
  }

  private count(webhook: string, age: keyof Places, change: number): void {
    const { fresh, old } = this.busy.get(webhook) ?? { fresh: 0, old: 0 };
    const places = { fresh, old, [age]: (age === 'old' ? old : fresh) + change };
    if (places.fresh + places.old > 0) this.busy.set(webhook, places);
    else this.busy.delete(webhook);
  }
}
