import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../clock/clock.service';
import { decide, type LimitDecision, type Window } from './limit';
import { LocalPacer } from './local-pacer';
import type { Pace } from './pace';
import type { SharedLimits } from './shared-limits';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;
/** `consume` needs a limiter for each limit; `penalty` counts whatever the limit is. */
type Change = 'penalty' | 'reward';

/**
 * Counts in fixed windows, each of which begins with a key's first request: in Redis for all instances, or in the process
 * without Redis. It is the storage of @nestjs/throttler.
 */
export class RateLimiter implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  /** Counts what Redis counts as well: in an outage, this instance allows a key no more than its limit. */
  private readonly local = new RateLimiterMemory({ points: 0, duration: 1 });
  private readonly pacer = new LocalPacer();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly shared?: SharedLimits,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.shared?.connect();
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }

  /** False while each instance counts alone, although a shared count is configured. */
  get healthy(): boolean {
    return this.shared?.isReachable ?? true;
  }

  /** Counts one request in all windows, in one round trip. A request that one window refuses counts in the others too. */
  async hit(key: string, windows: readonly Window[]): Promise<LimitDecision> {
    const records = windows.map(({ limit, seconds }) => this.increment(key, seconds * 1_000, limit));
    return decide(windows, await Promise.all(records), this.clock.now());
  }

  /**
   * Counts one request in one window.
   * @param ttl length of the window, in milliseconds; whole seconds
   */
  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    const { consumedPoints, msBeforeNext } = await this.count('penalty', key, ttl / 1_000);
    const timeToExpire = msBeforeNext / 1_000;
    const isBlocked = consumedPoints > limit;
    return { totalHits: consumedPoints, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
  }

  /** No longer counts one request. Nothing waits for this. */
  giveBack(key: string, { seconds }: Window): void {
    void this.count('reward', key, seconds);
  }

  /**
   * Takes a turn in all paces if it comes within `longestMs`, or in none. Synchronous unless it must ask Redis.
   * @returns milliseconds until the turn; more than `longestMs`: it is not taken, ask again then
   */
  turnIn(paces: readonly Pace[], longestMs: number): number | Promise<number> {
    const alone = () => this.pacer.turnIn(paces, longestMs);
    return this.shared ? this.shared.turnIn(paces, longestMs, alone) : alone();
  }

  private count(change: Change, key: string, seconds: number): Promise<RateLimiterRes> {
    const counted = [`${key}:${seconds}`, 1, { customDuration: seconds }] as const;
    const alone = this.local[change](...counted);
    return this.shared
      ? this.shared.ask(
          ({ counts }) => counts[change](...counted),
          () => alone,
        )
      : alone;
  }
}
