import type { DueDispatch } from './due-dispatches.service';

interface Entry {
  dispatch: DueDispatch;
  startedAt: number;
  controller: AbortController;
}

/** The attempts under way in this process. */
export class InFlight {
  private readonly entries = new Map<Promise<void>, Entry>();
  private readonly counts = new Map<string, number>();

  get size(): number {
    return this.entries.size;
  }

  /** How many are with their receiver, by webhook; webhooks without any are not in it. */
  get busy(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /**
   * Runs an attempt until it is recorded.
   * @param attempt calls `answered` when the receiver's part is over, which frees its place
   */
  add(dispatch: DueDispatch, attempt: (signal: AbortSignal, answered: () => void) => Promise<void>): void {
    const { webhook_id: webhook } = dispatch;
    const controller = new AbortController();
    let held = true;
    const leave = () => {
      if (!held) return;
      held = false;
      const left = this.counts.get(webhook)! - 1;
      if (left > 0) this.counts.set(webhook, left);
      else this.counts.delete(webhook);
    };
    this.counts.set(webhook, (this.counts.get(webhook) ?? 0) + 1);
    const run = attempt(controller.signal, leave).finally(() => {
      leave();
      this.entries.delete(run);
    });
    this.entries.set(run, { dispatch, startedAt: performance.now(), controller });
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
}
