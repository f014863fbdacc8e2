import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** An operation, or a field of its request, that will go. */
export interface Deprecation {
  /** When it became deprecated, ISO 8601. */
  since: string;
  /** From when on it may be gone, ISO 8601: twelve months after `since` at least. */
  sunset: string;
  /** The migration guide. */
  link: string;
  /** What to do instead. */
  message: string;
  /** Dotted name of a body field or query parameter; only requests that use it are warned. Default: every request. */
  field?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    deprecations?: readonly Deprecation[];
  }
}

/**
 * Makes routes that declare it tell of their deprecation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), `Link` and
 * `meta.warnings`. Other routes pay nothing. To be called before any route is registered.
 */
export function installDeprecations(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const deprecations = route.config?.deprecations;
    if (!deprecations) return;
    const hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      const used = deprecations.filter(({ field }) => field === undefined || uses(request, field));
      if (used.length > 0) warn(request, reply, used);
      done();
    };
    // After the body is parsed: the first hook that can tell whether a field is used.
    route.preValidation = [hook, ...[route.preValidation ?? []].flat()];
  });
}

/** Headers tell of the operation as a whole, or of the field that goes first; warnings of each. */
function warn(request: FastifyRequest, reply: FastifyReply, used: readonly Deprecation[]): void {
  const [first] = used.toSorted((a, b) => Date.parse(a.sunset) - Date.parse(b.sunset));
  const told = used.find(({ field }) => field === undefined) ?? first!;
  void reply
    .header('deprecation', `@${Math.floor(Date.parse(told.since) / 1_000)}`)
    .header('sunset', new Date(told.sunset).toUTCString())
    .header('link', [...new Set(used.map(({ link }) => `<${link}>; rel="deprecation"; type="text/html"`))].join(', '));
  request.gateway.warnings = used.map(({ field, message, sunset }) => ({
    code: field === undefined ? 'DEPRECATED_OPERATION' : 'DEPRECATED_FIELD',
    message: field === undefined ? message : `${field}: ${message}`,
    sunset: new Date(sunset).toISOString(),
  }));
}

function uses({ body, query }: FastifyRequest, field: string): boolean {
  return [body, query].some((source) => {
    let value: unknown = source;
    for (const name of field.split('.')) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
      value = (value as Record<string, unknown>)[name];
    }
    return true;
  });
}
