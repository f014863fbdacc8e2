import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError } from '../http/lifecycle/api-error';
import { isApi } from '../http/lifecycle/request-context';
import { ParameterChecks } from './parameter-checks.service';
import { parameterError, UNKNOWN_PARAMETER, unknownFields } from './request-faults';
import { ParameterValidation } from './validation.pipe';

/** The parts of a request that a handler reads. */
interface Reads {
  /** The handler has `@Query`, which refuses unknown parameters. */
  query: boolean;
  /** The handler has `@Body`. */
  body: boolean;
  /** The class that validates the body. */
  bodyType?: Type;
}

/**
 * Refuses query parameters and bodies of operations that take none, as other operations refuse unknown ones. It reports the
 * parameters together with the faults of the body, because the pipes do not run after a refusal. An empty object counts as
 * no body: some clients send it with every POST.
 */
@Injectable()
export class UnknownParametersInterceptor implements NestInterceptor {
  private readonly validation: ParameterValidation;

  constructor(checks: ParameterChecks) {
    this.validation = new ParameterValidation(checks);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<never> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = Object.keys(request.query as object);
    if ((unknown.length === 0 && request.body === undefined) || !isApi(request)) return next.handle();
    const { query, body, bodyType } = readBy(context.getClass(), context.getHandler());
    if (!body && request.body !== undefined) refuseContent(request.body);
    return query || unknown.length === 0 ? next.handle() : this.refuse(unknown, request.body, bodyType);
  }

  private async refuse(unknown: readonly string[], body: unknown, metatype: Type | undefined): Promise<never> {
    const faults = unknown.map((parameter) => ({ parameter, reason: UNKNOWN_PARAMETER }));
    await this.validation.transform(body, { type: 'body', metatype }, faults);
    throw parameterError(faults);
  }
}

/** @throws ApiError INVALID_REQUEST unless the body is an empty object */
function refuseContent(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw ApiError.malformed('the operation takes no body');
  }
  const fields = Object.keys(body);
  if (fields.length > 0) throw unknownFields(fields);
}

function readBy(controller: Type, { name: handler }: { name: string }): Reads {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as object | undefined;
  const indexOf = (type: RouteParamtypes): string | undefined =>
    Object.keys(parameters ?? {})
      .find((name) => name.startsWith(`${type}:`))
      ?.split(':')[1];
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as
    readonly Type[] | undefined;
  const body = indexOf(RouteParamtypes.BODY);
  return {
    query: indexOf(RouteParamtypes.QUERY) !== undefined,
    body: body !== undefined,
    bodyType: body === undefined ? undefined : types?.[Number(body)],
  };
}
