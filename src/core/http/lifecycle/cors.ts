import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

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
  const options = {
    // Always a list: with one text the plugin would send it to every origin.
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Accept', 'Idempotency-Key'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    optionsSuccessStatus: 200,
  };
  fastify.addHook('onRoute', (route) => {
    // The plugin's own route is there before the application's error handler is.
    if (route.url === '*') route.errorHandler = (...refusal) => fastify.errorHandler(...refusal);
  });
  await fastify.register(cors, {
    delegator: (request, done) => done(null, { ...options, preflight: isPreflight(request) }),
  });
}

/** By its headers (https://fetch.spec.whatwg.org/#cors-preflight-request): any other OPTIONS asks for a route that is not there. */
function isPreflight({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
