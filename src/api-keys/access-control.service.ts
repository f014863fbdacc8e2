import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasScope, type Scope } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Access, Caller } from '../core/http/lifecycle/request-context';
import { RateLimiter, type LimitDecision } from '../core/rate-limiting/sliding-window';
import { isAllowedIp } from './allowed-ips';
import { ApiKeyCache, type CachedApiKey } from './api-key-cache.service';

/**
 * Key, address, limit, scope: in this order, before the body is read. A hook rather than Nest guards, which run only
 * after Fastify has parsed the body: a stranger's malformed body would be answered 400 instead of 401, and parsed.
 */
@Injectable()
export class AccessControl {
  constructor(
    private readonly keys: ApiKeyCache,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async (request, reply) => {
      const { access } = request.routeOptions.config;
      if (access === undefined || access === 'public') return;
      await this.admit(request, reply, access);
    });
  }

  private async admit(request: FastifyRequest, reply: FastifyReply, access: Exclude<Access, 'public'>): Promise<void> {
    const key = await this.authenticate(request);
    if (!isAllowedIp(request.gateway.clientIp, key.allowedIps)) {
      throw new ApiError('IP_NOT_ALLOWED', { request_ip: request.gateway.clientIp, allowed_ips: key.allowedIps });
    }
    const decision = await this.limiter.hit(`key:${key.id}`, key.windows);
    limitHeaders(reply, decision);
    if (!decision.allowed) throw limitExceeded(decision);
    const scopes: readonly Scope[] = typeof access.scope === 'string' ? [access.scope] : access.scope;
    if (!scopes.some((scope) => hasScope(key.scopes, scope))) {
      throw new ApiError(
        'INSUFFICIENT_PERMISSIONS',
        { required_scope: scopes[0]!, key_scopes: key.scopes },
        `This operation needs the scope ${scopes[0]!}.`,
      );
    }
  }

  private async authenticate(request: FastifyRequest): Promise<CachedApiKey> {
    const { credentials } = request.gateway;
    const key = credentials && (await this.keys.find(credentials.text));
    if (!key) throw ApiError.invalidKey();
    request.gateway.caller = callerFor(key);
    if (key.isRevoked) throw ApiError.invalidKey();
    if (key.expiresAt && key.expiresAt.getTime() <= this.clock.now()) {
      throw new ApiError('API_KEY_EXPIRED', { expired_at: key.expiresAt.toISOString() });
    }
    return key;
  }
}

function callerFor({ id, environment, scopes }: CachedApiKey): Caller {
  return { keyId: id, environment, scopes };
}

function limitHeaders(reply: FastifyReply, { limit, remaining, resetAt }: LimitDecision): void {
  reply
    .header('x-ratelimit-limit', limit)
    .header('x-ratelimit-remaining', remaining)
    .header('x-ratelimit-reset', resetAt);
}

function limitExceeded({ limit, windowSeconds, retryAfterSeconds }: LimitDecision): ApiError<'RATE_LIMIT_EXCEEDED'> {
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    { limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds ?? 1 },
    `More than ${limit} requests in ${windowSeconds} seconds.`,
  );
}
