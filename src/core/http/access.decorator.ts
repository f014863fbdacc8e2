import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '#contracts';
import { callerOf } from './lifecycle/request-context';

/** The access of a handler: the scopes that admit a key, or public. */
export type AccessRule = readonly [Scope, ...Scope[]] | 'public';

/** The access that `RequireScope` and `Public` declare, for the guards. */
export const Access = Reflector.createDecorator<AccessRule>();

/** The extension of the OpenAPI document that names the scope of an operation; if it lists several, a key needs one of them. */
export const REQUIRED_SCOPE = 'x-required-scope';

/** The scope that a handler requires. If there are several, the key needs one of them, and a refusal names the first. */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  const [first, ...others] = scopes;
  const documented = ApiExtension(REQUIRED_SCOPE, others.length === 0 ? first : scopes);
  return applyDecorators(Access(scopes), ApiBearerAuth(), documented);
}

/** A handler that needs no key. Under /api it must also be on the list in `AccessDeclarations`. */
export function Public(): MethodDecorator {
  return Access('public');
}

/**
 * A handler that answers from memory while the database is unavailable, for a key whose row was checked within the last
 * minute.
 */
export const ServedDuringOutage = Reflector.createDecorator<true>();

/** The key that authenticated the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
