import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';

/** A deprecation of an operation, or of a field of its request. */
export interface Deprecation {
  /** When it became deprecated, ISO 8601. */
  since: string;
  /** When it may be removed, ISO 8601: at least twelve months after `since`. */
  sunset: string;
  /** The migration guide. */
  link: string;
  /** The replacement. */
  message: string;
  /** Dotted name of a body field or query parameter; only requests that use it get the warning. Default: every request. */
  field?: string;
}

/** Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594), `Link` and `meta.warnings` to the answers of a deprecated handler. */
export class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly deprecations: readonly Deprecation[]) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // The body is parsed: global interceptors run before those of a handler.
    const used = this.deprecations.filter(({ field }) => field === undefined || uses(request, field));
    if (used.length > 0) warn(request, http.getResponse<FastifyReply>(), used);
    return next.handle();
  }
}

/** Headers describe the operation, or the field that is removed first; warnings describe each. */
function warn(request: FastifyRequest, reply: FastifyReply, used: readonly Deprecation[]): void {
  const [first] = used.toSorted((a, b) => Date.parse(a.sunset) - Date.parse(b.sunset));
  const announced = used.find(({ field }) => field === undefined) ?? first!;
  void reply
    .header('deprecation', `@${Math.floor(Date.parse(announced.since) / 1_000)}`)
    .header('sunset', new Date(announced.sunset).toUTCString())
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
