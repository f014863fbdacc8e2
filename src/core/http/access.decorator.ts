import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#contracts';
import { callerOf, type Access } from './lifecycle/request-context';
import { ExtendRouteConfig } from './route-config.decorator';
import { readBy } from '../validation/unknown-parameters';

/** The scope that a route needs; of several, any one will do, and a refusal names the first. */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  const access: Access = { scope: scopes.length === 1 ? scopes[0] : scopes };
  const config: MethodDecorator = (target, handler, descriptor) =>
    ExtendRouteConfig({ access, ...readBy(target, handler) })(target, handler, descriptor);
  return applyDecorators(config, ApiBearerAuth(), ApiSecurity('query'));
}

/** A route that needs no key. Not for anything under /api. */
export function Public(): MethodDecorator {
  return ExtendRouteConfig({ access: 'public' satisfies Access });
}

/** The key that the request was authenticated with. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
