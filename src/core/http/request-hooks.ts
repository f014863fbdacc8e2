import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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

/** The first hook of every request: its id, its start time and the security headers. */
export function installRequestHooks(fastify: FastifyInstance, clock: Clock): void {
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
    if (isSecure(request)) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    done();
  });
}

export interface FirstRefusalOptions {
  requireHttps: boolean;
}

/**
 * What needs no key to be refused: what is not quite HTTP, plain HTTP where HTTPS is required, and unknown routes. To be
 * called after the hooks that put headers on every answer: a page of an allowed origin may read refusals too.
 */
export function installFirstRefusals(fastify: FastifyInstance, { requireHttps }: FirstRefusalOptions): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const fault = protocolFault(request.raw);
    if (fault !== undefined) return done(ApiError.malformed(fault));
    if (requireHttps && !isSecure(request) && isApi(request)) return done(ApiError.malformed('HTTPS is required'));
    if (request.is404) return done(ApiError.notFound('route', `${request.method} ${pathOf(request.url)}`));
    done();
  });
}

/** What the parser lets through: HTTP/0.9 and 2.0, read as 1.x, and a request without the Host that 1.1 asks for (RFC 9112, 3.2). */
function protocolFault({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (httpVersion === '1.1') return headers.host === undefined ? 'the Host header is missing' : undefined;
  return httpVersion === '1.0' ? undefined : 'the version of HTTP is not supported';
}

/** By the socket, or by what a trusted proxy says. */
function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
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
