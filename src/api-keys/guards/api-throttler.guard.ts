import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import type { Caller, RequestContext } from '../../core/http/lifecycle/request-context';
import { CountsMessage } from '../../core/rate-limiting/counts-message.decorator';
import type { LimitDecision, Window } from '../../core/rate-limiting/limit';
import type { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';
import { SettingsService } from '../../core/settings/settings.service';
import { countedMessage } from './counted-message';

/** Stands for the windows of the API key, which has two. A request without a key has no limit here. */
const OF_KEY = 0;

/** The one throttler. `@Throttle({ default: … })` gives a handler a window of its own instead of those of the key. */
export const THROTTLERS: ThrottlerOptions[] = [{ limit: OF_KEY, ttl: 0 }];

/** The second guard. Its storage counts all windows of a request in one round trip. */
@Injectable()
export class ApiThrottlerGuard extends ThrottlerGuard {
  declare protected readonly storageService: RateLimiter;
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

  /** A handler that sends a message has it counted in the same round trip. Whether the request sends one is known later. */
  private async decide(
    context: ExecutionContext,
    gateway: RequestContext,
    apiKey: Caller,
    key: string,
    windows: readonly Window[],
  ): Promise<LimitDecision> {
    const limiter = this.storageService;
    if (!this.reflector.get(CountsMessage, context.getHandler())) return limiter.hit(key, windows);
    const window = { limit: this.settings.of(apiKey.environment).rate_limits.messages_per_minute, seconds: 60 };
    const name = `send:${apiKey.keyId}`;
    const [decision, message] = await Promise.all([limiter.hit(key, windows), limiter.hit(name, [window])]);
    gateway.message = countedMessage(message, () => limiter.giveBack(name, window));
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
