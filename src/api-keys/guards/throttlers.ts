import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { CachedApiKey } from '../api-key-cache.service';

/** Set after `ApiKeyGuard` has accepted the request; a public handler has none. */
function apiKeyOf(context: ExecutionContext): CachedApiKey | undefined {
  return context.switchToHttp().getRequest<FastifyRequest>().gateway.apiKey;
}

/** The windows in which requests are counted. Each key has its own limits; a request without a key has none. */
export const THROTTLERS: ThrottlerOptions[] = [
  { name: 'minute', ttl: 60_000, limit: (context) => limitOf(context, 60) },
  { name: 'hour', ttl: 3_600_000, limit: (context) => limitOf(context, 3_600) },
];

function limitOf(context: ExecutionContext, windowSeconds: number): number {
  return apiKeyOf(context)?.windows.find(({ seconds }) => seconds === windowSeconds)?.limit ?? Infinity;
}
