import type { Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyInstance } from 'fastify';
import { isApi } from '../http/lifecycle/request-context';
import { parameterError, UNKNOWN_PARAMETER, type ParameterValidation } from './validation.pipe';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the handler reads the query, and with it refuses the parameters that it does not know. */
    readsQuery?: boolean;
    /** What its body is validated against. */
    bodyType?: Type;
  }
}

/** What a handler reads by `@Query` and `@Body`. Parameters are decorated before their method. */
export function readBy(target: object, handler: string | symbol): { readsQuery: boolean; bodyType?: Type } {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, target.constructor, handler) as object | undefined;
  const indexOf = (type: RouteParamtypes): string | undefined =>
    Object.keys(parameters ?? {})
      .find((name) => name.startsWith(`${type}:`))
      ?.split(':')[1];
  const types = Reflect.getMetadata('design:paramtypes', target, handler) as readonly Type[] | undefined;
  const body = indexOf(RouteParamtypes.BODY);
  return {
    readsQuery: indexOf(RouteParamtypes.QUERY) !== undefined,
    bodyType: body === undefined ? undefined : types?.[Number(body)],
  };
}

/**
 * Makes operations that take no query parameters refuse all of them, as the others refuse those that they do not know;
 * together with the faults of the body, which no pipe gets to see then.
 */
export function refuseUnknownParameters(fastify: FastifyInstance, validation: ParameterValidation): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { readsQuery, bodyType } = request.routeOptions.config;
    if (!isApi(request) || readsQuery) return done();
    const faults = Object.keys(request.query as object).map((parameter) => ({ parameter, reason: UNKNOWN_PARAMETER }));
    if (faults.length === 0) return done();
    const refuse = async () => {
      try {
        await validation.transform(request.body, { type: 'body', metatype: bodyType }, faults);
        done(parameterError(faults));
      } catch (error) {
        done(error as Error);
      }
    };
    void refuse();
  });
}
