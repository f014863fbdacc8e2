import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** What a page may read of an answer, beside its body. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
];
/** How long a browser may remember a preflight, in seconds: the longest that Chromium honours. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Lets pages of some origins call the API; with none, does nothing and no page may. Keys go in the Authorization header,
 * so no credentials of the browser's are needed. To be called before the hook that asks for a key: a preflight has none.
 */
export async function installCors(fastify: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await fastify.register(cors, {
    // Always a list: with one text the plugin would send it to every origin.
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Accept', 'Idempotency-Key'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
