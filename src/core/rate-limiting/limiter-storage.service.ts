import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { RateLimiter, type Companion, type JointDecision, type LimitDecision, type Window } from './sliding-window';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Adapts the limiter to @nestjs/throttler's storage. */
@Injectable()
export class LimiterStorage implements ThrottlerStorage {
  constructor(private readonly limiter: RateLimiter) {}

  /** Decides on all windows of a request in one step; the throttler's own interface takes one window at a time. */
  hit(key: string, windows: readonly Window[]): LimitDecision | Promise<LimitDecision> {
    return this.limiter.hit(key, windows);
  }

  /** As `hit`, and counts a message in the same step. */
  hitBoth(key: string, windows: readonly Window[], companion: Companion): JointDecision | Promise<JointDecision> {
    return this.limiter.hitBoth(key, windows, companion);
  }

  /**
   * Counts a request in one window unless it is refused: a client is blocked only while its window is full.
   * @param ttl length of the window, in milliseconds
   */
  async increment(key: string, ttl: number, limit: number): Promise<ThrottlerRecord> {
    const seconds = Math.ceil(ttl / 1_000);
    const { allowed, remaining, retryAfterSeconds = 0 } = await this.limiter.hit(key, [{ limit, seconds }]);
    return {
      totalHits: allowed ? limit - remaining : limit + 1,
      timeToExpire: allowed ? seconds : retryAfterSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: retryAfterSeconds,
    };
  }
}
