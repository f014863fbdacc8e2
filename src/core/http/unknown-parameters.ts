import { RouteParamtypes } from '@nestjs/common/internal.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyInstance } from 'fastify';
import { isApi } from './request-context';
import { parameterError, UNKNOWN_PARAMETER } from './validation.pipe';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler reads the query, and with it refuses the parameters that it does not know. */
    readsQuery?: boolean;
  }
}

/** Whether a handler has a `@Query` parameter. Parameters are decorated before their method. */
export function readsQuery(target: object, handler: string | symbol): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, handler) as object | undefined;
  return Object.keys(parameters ?? {}).some((name) => name.startsWith(`${RouteParamtypes.QUERY}:`));
}

/** Makes operations that take no query parameters refuse all of them, as the others refuse those that they do not know. */
export function refuseUnknownParameters(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (!isApi(request) || request.routeOptions.config.readsQuery) return done();
    const names = Object.keys(request.query as object);
    if (names.length === 0) return done();
    done(parameterError(names.map((parameter) => ({ parameter, reason: UNKNOWN_PARAMETER }))));
  });
}
