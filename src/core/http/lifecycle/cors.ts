import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Headers of an answer that a page may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Last-Event-ID',
  'Deprecation',
  'Sunset',
  'Link',
];
/** A browser may cache a preflight this long, in seconds: Chromium's maximum. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Lets pages of the given origins call the API; without origins, no page may. Keys go in the Authorization header, so no
 * cookies are needed. Call it before the hook that checks the key: a preflight carries no key.
 */
export async function installCors(fastify: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const options = {
    // Always a list: the plugin would send a single text to every origin.
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Accept', 'Idempotency-Key', 'Last-Event-ID'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    optionsSuccessStatus: 200,
  };
  fastify.addHook('onRoute', (route) => {
    // The plugin registers its own route before the application sets its error handler.
    if (route.url === '*') route.errorHandler = (...refusal) => fastify.errorHandler(...refusal);
  });
  await fastify.register(cors, {
    delegator: (request, done) => done(null, { ...options, preflight: isPreflight(request) }),
  });
}

/** By its headers (https://fetch.spec.whatwg.org/#cors-preflight-request): other OPTIONS requests have no route. */
function isPreflight({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
