import { Injectable } from '@nestjs/common';

/**
 * How long after an outage nobody takes over work whose lease ran out, in milliseconds: its holder could not extend it, and
 * is about to record what it has done. Longer than instances may differ in noticing the end.
 */
const GRACE_MS = 2_000;

/** What is asked of a database that is known to be away. */
export class DatabaseUnavailableError extends Error {
  constructor() {
    super('the database does not answer');
  }
}

/** Called in no particular order; must not throw. */
export interface OutageWatcher {
  begins?: () => void;
  ends?: () => void;
}

/**
 * Whether the database is away, as DatabaseListener finds out: its connection is proven alive three times a second. A
 * database that hangs would else hold every request for as long as a statement may last.
 */
@Injectable()
export class Outage {
  private away = false;
  private endedAt = -Infinity;
  private readonly watchers: OutageWatcher[] = [];

  get present(): boolean {
    return this.away;
  }

  /** Whether there is one, or was a moment ago: leases that have run out say nothing about their holders. */
  get recent(): boolean {
    return this.away || performance.now() - this.endedAt < GRACE_MS;
  }

  watch(watcher: OutageWatcher): void {
    this.watchers.push(watcher);
  }

  begin(): void {
    if (this.away) return;
    this.away = true;
    for (const { begins } of this.watchers) begins?.();
  }

  end(): void {
    if (!this.away) return;
    this.away = false;
    this.endedAt = performance.now();
    for (const { ends } of this.watchers) ends?.();
  }
}
