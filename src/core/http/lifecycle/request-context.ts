import type { FastifyRequest } from 'fastify';
import type { Environment, Scope } from '#contracts';

/** The key that authenticated a request. */
export interface Caller {
  keyId: string;
  environment: Environment;
  scopes: readonly Scope[];
}

/** The API key that a request presents: well-formed, known or not. */
export interface Credentials {
  text: string;
  masked: string;
  environment: Environment;
}

/** The gateway's context of a request, set by the first hook. */
export interface RequestContext {
  /** UUID form of the public `req_` id. */
  id: string;
  publicId: string;
  /** `performance.now()` at arrival. */
  startedAt: number;
  clientIp: string;
  credentials?: Credentials;
  /** Set when the key is known, even if it is then refused. */
  caller?: Caller;
  /** Warnings for `meta.warnings` of the answer. */
  warnings?: Warning[];
}

/** An item of `meta.warnings`. */
export interface Warning {
  code: string;
  message: string;
  /** When the deprecated operation or field may be removed, ISO 8601. */
  sunset: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    gateway: RequestContext;
  }
}

/**
 * Whether a request is for the API, by its matched route: the router also accepts escaped (`/%61pi`) and absolute
 * (`http://host/api`) forms, which a test of the raw URL would miss. An unknown route has only the URL.
 */
export function isApi(request: FastifyRequest): boolean {
  return (routeOf(request) ?? request.url).startsWith('/api');
}

/** The pattern of the matched route, if any. The route of CORS, which matches every OPTIONS, does not count. */
export function routeOf({ is404, routeOptions: { url } }: FastifyRequest): string | undefined {
  return is404 || url === '*' ? undefined : url;
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request.gateway;
  if (!caller) throw new Error('a route that needs a caller was reached without one');
  return caller;
}
