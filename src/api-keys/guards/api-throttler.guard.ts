import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import type { Caller, RequestContext } from '../../core/http/lifecycle/request-context';
import { CountsMessage } from '../../core/rate-limiting/counts-message.decorator';
import type { LimiterStorage } from '../../core/rate-limiting/limiter-storage.service';
import type { LimitDecision, Window } from '../../core/rate-limiting/sliding-window';
import { SettingsService } from '../../core/settings/settings.service';
import { countedMessage, messageOf } from './counted-message';

/** Stands for the windows of the API key, which has two. A request without a key has no limit here. */
const OF_KEY = 0;

/** The one throttler. `@Throttle({ default: … })` gives a handler a window of its own instead of those of the key. */
export const THROTTLERS: ThrottlerOptions[] = [{ limit: OF_KEY, ttl: 0 }];

/** The second guard. Its storage decides on all windows in one step: a request that one window refuses counts in none. */
@Injectable()
export class ApiThrottlerGuard extends ThrottlerGuard {
  declare protected readonly storageService: LimiterStorage;
  @Inject(SettingsService) private readonly settings!: SettingsService;

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(context.getType() !== 'http');
  }

  protected override async handleRequest({ context, limit, ttl }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const { gateway } = http.getRequest<FastifyRequest>();
    const { apiKey } = gateway;
    if (!apiKey) return true;
    const windows = limit === OF_KEY ? apiKey.windows : [{ limit, seconds: Math.ceil(ttl / 1_000) }];
    if (windows.length === 0) return true;
    const tracker = `key:${apiKey.keyId}`;
    const key = limit === OF_KEY ? tracker : `${tracker}:${context.getClass().name}.${context.getHandler().name}`;
    const decision = await this.decide(context, gateway, apiKey, key, windows);
    void http.getResponse<FastifyReply>().headers({
      'x-ratelimit-limit': decision.limit,
      'x-ratelimit-remaining': decision.remaining,
      'x-ratelimit-reset': decision.resetAt,
    });
    if (!decision.allowed) throw limitExceeded(decision);
    return true;
  }

  /** A handler that sends a message has it counted in the same step. Whether the request sends one is known later. */
  private async decide(
    context: ExecutionContext,
    gateway: RequestContext,
    apiKey: Caller,
    key: string,
    windows: readonly Window[],
  ): Promise<LimitDecision> {
    if (!this.reflector.get(CountsMessage, context.getHandler())) return this.storageService.hit(key, windows);
    const limit = this.settings.of(apiKey.environment).rate_limits.messages_per_minute;
    const { decision, companion } = await this.storageService.hitBoth(key, windows, messageOf(apiKey.keyId, limit));
    if (companion) gateway.message = countedMessage(companion);
    return decision;
  }
}

function limitExceeded({ limit, windowSeconds, retryAfterSeconds }: LimitDecision): RateLimitError {
  return new RateLimitError(
    windowSeconds > 60 ? 'requests_per_hour' : 'requests_per_minute',
    { limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds ?? 1 },
    `More than ${limit} requests in ${windowSeconds} seconds.`,
  );
}
