import type { FastifyRequest } from 'fastify';
import type { Environment, Scope } from '#contracts';

/** The key that a request was authenticated with. */
export interface Caller {
  keyId: string;
  environment: Environment;
  scopes: readonly Scope[];
}

/** What a request presents as its key, of the right form but not necessarily known. */
export interface Credentials {
  text: string;
  masked: string;
  environment: Environment;
}

/** What the gateway knows about a request, from its first hook on. */
export interface RequestContext {
  /** UUID form of the public `req_` id. */
  id: string;
  publicId: string;
  /** `performance.now()` at arrival. */
  startedAt: number;
  clientIp: string;
  credentials?: Credentials;
  /** Set once the presented key was found, also when it is then refused. */
  caller?: Caller;
  /** What the answer warns of, in `meta.warnings`. */
  warnings?: Warning[];
}

/** An item of `meta.warnings`. */
export interface Warning {
  code: string;
  message: string;
  /** From when on what is warned of may be gone, ISO 8601. */
  sunset: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    gateway: RequestContext;
  }
}

/**
 * Whether a request is for the API, by the route it matched: the router also takes escaped (`/%61pi`) and absolute
 * (`http://host/api`) forms, which the raw URL would hide. Of an unknown route only the URL is there to go by.
 */
export function isApi(request: FastifyRequest): boolean {
  return (routeOf(request) ?? request.url).startsWith('/api');
}

/** The pattern of the route that a request matched, if it did: that of CORS matches every OPTIONS, and is none of ours. */
export function routeOf({ is404, routeOptions: { url } }: FastifyRequest): string | undefined {
  return is404 || url === '*' ? undefined : url;
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request.gateway;
  if (!caller) throw new Error('a route that needs a caller was reached without one');
  return caller;
}
