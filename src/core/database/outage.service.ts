import { Injectable } from '@nestjs/common';

/**
 * After an outage, no instance takes over work with an expired lease for this long, in milliseconds: the holder could not
 * extend the lease and is about to record its outcome. Instances notice the end of an outage within this time.
 */
const GRACE_MS = 2_000;

/** Rejects statements while the database is known to be unavailable. */
export class DatabaseUnavailableError extends Error {
  constructor() {
    super('the database does not answer');
  }
}

/** The order of calls is undefined; a callback must not throw. */
export interface OutageWatcher {
  begins?: () => void;
  ends?: () => void;
}

/**
 * Whether the database is unavailable. DatabaseListener checks its connection three times a second, and every two seconds
 * while no request comes. Without this, a database that hangs would hold every request until its statement times out.
 */
@Injectable()
export class Outage {
  private unavailable = false;
  private endedAt = -Infinity;
  private readonly watchers: OutageWatcher[] = [];

  get present(): boolean {
    return this.unavailable;
  }

  /** True during an outage and shortly after it: until then, an expired lease does not prove that its holder died. */
  get recent(): boolean {
    return this.unavailable || performance.now() - this.endedAt < GRACE_MS;
  }

  watch(watcher: OutageWatcher): void {
    this.watchers.push(watcher);
  }

  begin(): void {
    if (this.unavailable) return;
    this.unavailable = true;
    for (const { begins } of this.watchers) begins?.();
  }

  end(): void {
    if (!this.unavailable) return;
    this.unavailable = false;
    this.endedAt = performance.now();
    for (const { ends } of this.watchers) ends?.();
  }
}
