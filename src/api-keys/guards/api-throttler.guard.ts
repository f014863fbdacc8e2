import { Inject, Injectable, type ExecutionContext, type Type } from '@nestjs/common';
import { ThrottlerGuard, type Resolvable, type ThrottlerOptions } from '@nestjs/throttler';
import { THROTTLER_LIMIT, THROTTLER_SKIP, THROTTLER_TTL } from '@nestjs/throttler/dist/throttler.constants';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import { PerHandler } from '../../core/http/per-handler';
import type { Caller, RequestContext } from '../../core/http/lifecycle/request-context';
import { addressGroup } from '../../core/rate-limiting/address-group';
import { CountsMessage } from '../../core/rate-limiting/counts-message.decorator';
import type { LimiterStorage } from '../../core/rate-limiting/limiter-storage.service';
import type { LimitDecision, Window } from '../../core/rate-limiting/sliding-window';
import { SettingsService } from '../../core/settings/settings.service';
import { countedMessage, messageOf } from './counted-message';

/** The name that `@SkipThrottle()` and `@Throttle({ default: … })` use: here it stands for every window. */
const EVERY_WINDOW = 'default';

/** The windows of a handler whose decorators change them. */
interface Plan {
  /** The guard counts its requests separately from those of other handlers. */
  handler: string;
  windows: readonly Pick<ThrottlerOptions, 'limit' | 'ttl'>[];
}

/**
 * The second guard. It decides on all windows in one step, while `ThrottlerGuard` asks its storage once for each: a request
 * that one window refuses counts in none. It reads `@SkipThrottle` and `@Throttle` of a handler once.
 */
@Injectable()
export class ApiThrottlerGuard extends ThrottlerGuard {
  declare protected readonly storageService: LimiterStorage;
  @Inject(SettingsService) private readonly settings!: SettingsService;
  private readonly plans = new PerHandler((controller, handler) => this.planOf(controller, handler));

  override async canActivate(context: ExecutionContext): Promise<true> {
    if (context.getType() !== 'http') return true;
    const http = context.switchToHttp();
    const { gateway } = http.getRequest<FastifyRequest>();
    const plan = this.plans.of(context);
    const windows = plan ? await windowsOf(plan, context) : gateway.apiKey?.windows;
    if (!windows || windows.length === 0) return true;
    const tracker = gateway.apiKey ? `key:${gateway.apiKey.keyId}` : `address:${addressGroup(gateway.clientIp)}`;
    const key = plan ? `${tracker}:${plan.handler}` : tracker;
    const decision =
      gateway.apiKey && this.countsMessage(context)
        ? await this.hitWithMessage(gateway, gateway.apiKey, key, windows)
        : await this.storageService.hit(key, windows);
    limitHeaders(http.getResponse<FastifyReply>(), decision);
    if (!decision.allowed) throw limitExceeded(decision, gateway.apiKey !== undefined);
    return true;
  }

  private countsMessage(context: ExecutionContext): boolean {
    return this.reflector.get(CountsMessage, context.getHandler()) === true;
  }

  /** Decides on the request and on its message in one step. Whether it sends one is known later. */
  private async hitWithMessage(
    gateway: RequestContext,
    { keyId, environment }: Caller,
    key: string,
    windows: readonly Window[],
  ): Promise<LimitDecision> {
    const limit = this.settings.of(environment).rate_limits.messages_per_minute;
    const { decision, companion } = await this.storageService.hitBoth(key, windows, messageOf(keyId, limit));
    if (companion) gateway.message = countedMessage(companion);
    return decision;
  }

  /** @returns null if no decorator changes the windows of the key */
  private planOf(controller: Type, handler: { name: string }): Plan | null {
    const targets = [handler as Type, controller];
    const isSkipped = (name?: string) =>
      this.reflector.getAllAndOverride<boolean | undefined>(THROTTLER_SKIP + name, targets);
    const declared = (metadata: string, name?: string) =>
      this.reflector.getAllAndOverride<Resolvable<number> | undefined>(metadata + name, targets);
    const isReplaced = declared(THROTTLER_LIMIT, EVERY_WINDOW) !== undefined;
    const throttlers = isReplaced ? [{ ...this.throttlers[0]!, name: EVERY_WINDOW }] : this.throttlers;
    const windows = throttlers
      .filter(({ name }) => !(isSkipped(name) ?? isSkipped(EVERY_WINDOW)))
      .map(({ name, limit, ttl }) => ({
        limit: declared(THROTTLER_LIMIT, name) ?? limit,
        ttl: declared(THROTTLER_TTL, name) ?? ttl,
      }));
    const isSame =
      windows.length === this.throttlers.length &&
      this.throttlers.every(({ limit, ttl }, index) => windows[index]!.limit === limit && windows[index]!.ttl === ttl);
    return isSame ? null : { handler: `${controller.name}.${handler.name}`, windows };
  }
}

async function windowsOf({ windows }: Plan, context: ExecutionContext): Promise<Window[]> {
  const valueOf = (value: Resolvable<number>) => (typeof value === 'function' ? value(context) : value);
  const resolved = windows.map(async ({ limit, ttl }) => ({
    limit: await valueOf(limit),
    seconds: Math.ceil((await valueOf(ttl)) / 1_000),
  }));
  return (await Promise.all(resolved)).filter(({ limit }) => Number.isFinite(limit));
}

function limitHeaders(reply: FastifyReply, { limit, remaining, resetAt }: LimitDecision): void {
  reply
    .header('x-ratelimit-limit', limit)
    .header('x-ratelimit-remaining', remaining)
    .header('x-ratelimit-reset', resetAt);
}

/** @param hasKey without a key, only the sign-in of the dashboard has a limit */
function limitExceeded({ limit, windowSeconds, retryAfterSeconds }: LimitDecision, hasKey: boolean): RateLimitError {
  const ofKey = windowSeconds > 60 ? 'requests_per_hour' : 'requests_per_minute';
  return new RateLimitError(
    hasKey ? ofKey : 'sign_in',
    { limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds ?? 1 },
    `More than ${limit} requests in ${windowSeconds} seconds.`,
  );
}
