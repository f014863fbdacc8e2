import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor, type Type } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/internal.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isApi } from '../http/lifecycle/request-context';
import { PerHandler } from '../http/per-handler';
import { ParameterChecks } from './parameter-checks.service';
import { parameterError, UNKNOWN_PARAMETER } from './request-faults';
import { ParameterValidation } from './validation.pipe';

/** The parts of a request that a handler reads. */
interface Reads {
  /** The handler has `@Query`, which refuses unknown parameters. */
  query: boolean;
  /** The class that validates its body. */
  bodyType?: Type;
}

/**
 * Refuses query parameters for operations that have none, as other operations refuse unknown ones. It reports them together
 * with the faults of the body, as the pipes do not run after a refusal.
 */
@Injectable()
export class UnknownParametersInterceptor implements NestInterceptor {
  private readonly reads = new PerHandler(readBy);
  private readonly validation: ParameterValidation;

  constructor(checks: ParameterChecks) {
    this.validation = new ParameterValidation(checks);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<never> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = Object.keys(request.query as object);
    if (unknown.length === 0 || !isApi(request)) return next.handle();
    const { query, bodyType } = this.reads.of(context);
    return query ? next.handle() : this.refuse(unknown, request.body, bodyType);
  }

  private async refuse(unknown: readonly string[], body: unknown, metatype: Type | undefined): Promise<never> {
    const faults = unknown.map((parameter) => ({ parameter, reason: UNKNOWN_PARAMETER }));
    await this.validation.transform(body, { type: 'body', metatype }, faults);
    throw parameterError(faults);
  }
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
    bodyType: body === undefined ? undefined : types?.[Number(body)],
  };
}
