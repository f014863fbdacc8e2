import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../../clock/clock.service';
import { isApi, routeOf } from './request-context';
import { ApiError } from './api-error';
import { clientAddress } from './client-address';
import { pathOf } from './request-target';

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;
const SECURITY_HEADERS_OF_HTTPS = {
  ...SECURITY_HEADERS,
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;
export const NO_STORE = 'no-store';
/** Matches like Node: the value may be part of a list. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Headers on every response; the dashboard and the Swagger page add their own content policy. */
export function securityHeaders(overHttps: boolean): Record<string, string> {
  return overHttps ? SECURITY_HEADERS_OF_HTTPS : SECURITY_HEADERS;
}

/** The first hook of every request: its id, its start time and the security headers. */
export function installRequestHooks(fastify: FastifyInstance, clock: Clock): void {
  fastify.decorateRequest('gateway');
  fastify.addHook('onRequest', (request, reply, done) => {
    beginRequest(request, reply, clock);
    done();
  });
}

export function beginRequest(request: FastifyRequest, reply: FastifyReply, clock: Clock): void {
  const id = newUuid(clock.now());
  const publicId = toPublicId('request', id);
  request.gateway = {
    id,
    publicId,
    startedAt: performance.now(),
    ...clientAddress(request),
  };
  reply.header('x-request-id', publicId).headers(securityHeaders(isSecure(request)));
  // Answers hold messages and keys.
  if (isApi(request)) reply.header('cache-control', NO_STORE);
}

/**
 * Refuses malformed HTTP, and plain HTTP where HTTPS is required, before any check of the key. Call it after the hooks that
 * set headers on every answer: a page of an allowed origin may read refusals too.
 */
export function installFirstRefusals(fastify: FastifyInstance, { requireHttps }: { requireHttps: boolean }): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const fault = protocolFault(request.raw);
    if (fault !== undefined) return done(ApiError.malformed(fault));
    if (requireHttps && !isSecure(request) && isApi(request)) return done(ApiError.malformed('HTTPS is required'));
    done();
  });
}

/** Refuses unknown routes without a check of the key. */
export function refuseUnknownRoutes(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    done(routeOf(request) === undefined ? unknownRoute(request) : undefined);
  });
}

/**
 * Faults that Node's parser accepts: HTTP/0.9 and 2.0, which it reads as 1.x; HTTP/1.1 without exactly one Host (RFC 9112,
 * 3.2); and unknown expectations.
 */
function protocolFault({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersion === '1.1') {
    if (headers.host === undefined) return 'the Host header is missing';
    if (isRepeated(rawHeaders, 'host')) return 'the Host header must appear once';
    const isMet = headers.expect === undefined || CONTINUE.test(headers.expect);
    return isMet ? undefined : 'the Expect header is not supported';
  }
  return httpVersion === '1.0' ? undefined : 'the version of HTTP is not supported';
}

/** Node keeps the first of several headers; a proxy may have used another. @param namesAndValues in turn */
function isRepeated(namesAndValues: readonly string[], name: string): boolean {
  let found = false;
  for (let index = 0; index < namesAndValues.length; index += 2) {
    const candidate = namesAndValues[index]!;
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    if (found) return true;
    found = true;
  }
  return false;
}

/** By the socket, or by a trusted proxy's header. */
function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}

export function unknownRoute({ method, url }: FastifyRequest): ApiError<'RESOURCE_NOT_FOUND'> {
  return ApiError.notFound('route', `${method} ${pathOf(url)}`);
}
