import type { FastifyInstance } from 'fastify';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../clock/clock';
import { isApi } from './request-context';
import { ApiError } from './api-error';

/** Headers on every response; the dashboard and the Swagger page add their own content policy. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;

export interface RequestHookOptions {
  requireHttps: boolean;
}

/** The first hooks of every request: its id, its start time, the security headers, and HTTPS where it is required. */
export function installRequestHooks(
  fastify: FastifyInstance,
  clock: Clock,
  { requireHttps }: RequestHookOptions,
): void {
  fastify.decorateRequest('gateway');
  fastify.addHook('onRequest', (request, reply, done) => {
    const id = newUuid(clock.now());
    const publicId = toPublicId('request', id);
    request.gateway = {
      id,
      publicId,
      startedAt: performance.now(),
      clientIp: plainAddress(request.ip),
      maskedKey: null,
    };
    reply.header('x-request-id', publicId).headers(SECURITY_HEADERS);
    const secure = request.protocol === 'https';
    if (secure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    if (requireHttps && !secure && isApi(request)) {
      return done(ApiError.malformed('HTTPS is required'));
    }
    if (request.is404) return done(ApiError.notFound('route', `${request.method} ${pathOf(request.url)}`));
    done();
  });
}

/** IPv4-mapped IPv6 addresses are shown, and matched, as IPv4. */
export function plainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}

/** Without the query string, which may carry a key. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
