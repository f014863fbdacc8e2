import type { Window } from './limit';
import { WindowLog } from './window-log';

const EVICT_EVERY_MS = 60_000;

/** Counts in this process, exactly: never more than the limit in any interval of the window's length. */
export class ExactLimiter {
  private readonly logs = new Map<string, WindowLog>();
  private nextEviction = 0;

  /** @param clock Unix milliseconds */
  constructor(
    private readonly clock: { now(): number },
    private readonly window: Window,
  ) {}

  get size(): number {
    return this.logs.size;
  }

  /** Counts a hit unless it is refused. @returns as `waitOf` */
  hit(key: string): number {
    const waitSeconds = this.waitOf(key);
    if (waitSeconds === 0) this.logOf(key).record(this.clock.now());
    return waitSeconds;
  }

  /** @returns seconds until there is room for a hit; 0: there is room now */
  waitOf(key: string): number {
    const now = this.clock.now();
    const log = this.logs.get(key);
    const { limit, seconds } = this.window;
    if (!log || log.used(now) < limit) return 0;
    return Math.min(Math.max(1, Math.ceil((log.freeAt - now) / 1_000)), seconds);
  }

  private logOf(key: string): WindowLog {
    const now = this.clock.now();
    if (now >= this.nextEviction) this.evict(now);
    const log = this.logs.get(key) ?? new WindowLog(this.window.seconds);
    this.logs.set(key, log);
    return log;
  }

  private evict(now: number): void {
    this.nextEviction = now + EVICT_EVERY_MS;
    for (const [key, log] of this.logs) if (log.used(now) === 0) this.logs.delete(key);
  }
}
