import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#contracts';
import { callerOf } from './lifecycle/request-context';

/** Who may call a handler: a key that has one of these scopes, or everybody. */
export type AccessRule = readonly [Scope, ...Scope[]] | 'public';

/** What `RequireScope` and `Public` declare, for the guards. */
export const Access = Reflector.createDecorator<AccessRule>();

/** The scope that a handler needs; of several, any one will do, and a refusal names the first. */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return applyDecorators(Access(scopes), ApiBearerAuth(), ApiSecurity('query'));
}

/** A handler that needs no key. Under /api it must also be on the list in `AccessDeclarations`. */
export function Public(): MethodDecorator {
  return Access('public');
}

/** The key that the request was authenticated with. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
