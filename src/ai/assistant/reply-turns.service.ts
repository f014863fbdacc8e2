import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { RateLimiter } from '../../core/rate-limiting/sliding-window';
import { SettingsService } from '../../core/settings/settings.service';

const MINUTE = 60;
/** A reply looks again after this many seconds at the latest: the limit may have been raised. */
const LONGEST_WAIT = 60;

/** Spreads replies that are above `rate_limits.replies_per_minute` over the time to come, in the order in which they ask. */
@Injectable()
export class ReplyTurns {
  /** The last turn that this instance gave, by environment, in Unix milliseconds. */
  private readonly lastTurns = new Map<Environment, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isWaiting the reply has had a turn before: it does not go behind the others
   * @returns the seconds that it has to wait; 0: it may be made now
   */
  async secondsUntilTurn(environment: Environment, isWaiting: boolean): Promise<number> {
    const limit = this.settings.of(environment).rate_limits.replies_per_minute;
    const now = this.clock.now();
    const spacing = (MINUTE * 1_000) / limit;
    const last = this.lastTurns.get(environment) ?? 0;
    let first = now;
    if (isWaiting || last <= now) {
      const decision = await this.limiter.hit(`replies:${environment}`, [{ limit, seconds: MINUTE }]);
      if (decision.allowed) return 0;
      first = now + (decision.retryAfterSeconds ?? 1) * 1_000;
    }
    const turn = Math.min(Math.max(first, last + spacing), now + LONGEST_WAIT * 1_000);
    this.lastTurns.set(environment, turn);
    return (turn - now) / 1_000;
  }

  /** Whether the wait is to be told: at most once a minute. */
  async isToBeTold(environment: Environment): Promise<boolean> {
    const windows = [{ limit: 1, seconds: MINUTE }];
    return (await this.limiter.hit(`replies-told:${environment}`, windows)).allowed;
  }
}
