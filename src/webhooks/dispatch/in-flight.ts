import type { DueDispatch } from './due-dispatches';

interface Entry {
  dispatch: DueDispatch;
  startedAt: number;
  controller: AbortController;
}

/** The attempts under way in this process. */
export class InFlight {
  private readonly entries = new Map<Promise<void>, Entry>();
  private readonly counts = new Map<string, number>();

  /** @param perWebhook attempts to one webhook at once */
  constructor(private readonly perWebhook: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** How many there are, by webhook; webhooks without any are not in it. */
  get busy(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Runs an attempt. @returns when it has ended, however */
  add(dispatch: DueDispatch, attempt: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { webhook_id: webhook } = dispatch;
    const controller = new AbortController();
    this.counts.set(webhook, (this.counts.get(webhook) ?? 0) + 1);
    const run = attempt(controller.signal).finally(() => {
      this.entries.delete(run);
      const left = this.counts.get(webhook)! - 1;
      if (left > 0) this.counts.set(webhook, left);
      else this.counts.delete(webhook);
    });
    this.entries.set(run, { dispatch, startedAt: performance.now(), controller });
    return run;
  }

  /** Whether one of these webhooks has no place left. */
  anyFull(dispatches: readonly DueDispatch[]): boolean {
    return dispatches.some(({ webhook_id }) => (this.counts.get(webhook_id) ?? 0) >= this.perWebhook);
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
