import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';

@Injectable()
export class CacheIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly limiter: RateLimiter,
  ) {}

  /** Degraded without an answer of Redis: each instance then counts alone. */
  check() {
    const check = this.indicators.check('cache');
    return this.limiter.healthy ? check.up() : check.degraded('Redis does not answer');
  }
}
