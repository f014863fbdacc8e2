import { allowed, refused } from './decision';
import { LocalPacer } from './local-pacer';
import type { Pace } from './pace';
import type { Companion, JointDecision, LimitDecision, Window, RateLimiter } from './sliding-window';
import { WindowLog } from './window-log';

const EVICT_EVERY_MS = 60_000;

/** Counts in this process. It is on the hot path: synchronous, a few array operations. */
export class LocalLimiter implements RateLimiter {
  readonly healthy = true;
  private readonly keys = new Map<string, WindowLog[]>();
  private readonly pacer = new LocalPacer();
  private nextEviction = 0;

  /** @param clock Unix milliseconds */
  constructor(private readonly clock: { now(): number }) {}

  turnIn(paces: readonly Pace[], longestMs: number): number {
    return this.pacer.turnIn(paces, longestMs);
  }

  hit(key: string, windows: readonly Window[]): LimitDecision {
    const now = this.clock.now();
    const logs = this.logsOf(key, windows, now);
    const refusal = refusalOf(logs, windows, now);
    if (refusal) return refusal;
    for (const log of logs) log.record(now);
    return allowed(
      windows,
      logs.map((log) => log.allowedState()),
      now,
    );
  }

  hitBoth(key: string, windows: readonly Window[], companion: Companion): JointDecision {
    const decision = this.hit(key, windows);
    if (!decision.allowed) return { decision };
    const at = this.clock.now();
    const further = this.hit(companion.key, companion.windows);
    const giveBack = () => further.allowed && this.remove(companion.key, at);
    return { decision, companion: { decision: further, giveBack } };
  }

  /** The refusal that a hit would get; undefined if it would be allowed. Counts nothing. */
  refusal(key: string, windows: readonly Window[]): LimitDecision | undefined {
    const now = this.clock.now();
    return refusalOf(this.logsOf(key, windows, now), windows, now);
  }

  get size(): number {
    return this.keys.size;
  }

  /** No longer counts the request that was counted at `atMs`. */
  private remove(key: string, atMs: number): void {
    for (const log of this.keys.get(key) ?? []) log.remove(atMs, this.clock.now());
  }

  private logsOf(key: string, windows: readonly Window[], now: number): WindowLog[] {
    if (windows.length === 0) throw new RangeError('A limit needs at least one window');
    if (now >= this.nextEviction) this.evict(now);
    const known = this.keys.get(key);
    if (known && sameWindows(known, windows)) return known;
    const logs = windows.map(({ seconds }) => known?.find((log) => log.seconds === seconds) ?? new WindowLog(seconds));
    this.keys.set(key, logs);
    return logs;
  }

  private evict(now: number): void {
    this.nextEviction = now + EVICT_EVERY_MS;
    for (const [key, logs] of this.keys) {
      if (logs.every((log) => log.used(now) === 0)) this.keys.delete(key);
    }
  }
}

function refusalOf(logs: readonly WindowLog[], windows: readonly Window[], now: number): LimitDecision | undefined {
  let fits = true;
  for (let index = 0; index < windows.length; index++) {
    if (logs[index]!.used(now) >= windows[index]!.limit) fits = false;
  }
  if (fits) return undefined;
  const states = windows.map(({ limit }, index) => logs[index]!.refusedState(limit, now));
  return refused(windows, states, now);
}

function sameWindows(logs: readonly WindowLog[], windows: readonly Window[]): boolean {
  if (logs.length !== windows.length) return false;
  for (let index = 0; index < logs.length; index++) {
    if (logs[index]!.seconds !== windows[index]!.seconds) return false;
  }
  return true;
}
