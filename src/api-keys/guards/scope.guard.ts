import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { hasScope } from '#contracts';
import { Access } from '../../core/http/access.decorator';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { callerOf } from '../../core/http/lifecycle/request-context';

/** The last guard: the key has the scope of the handler. `AccessDeclarations` ensures that each handler declares one. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): true {
    if (context.getType() !== 'http') return true;
    const rule = this.reflector.get(Access, context.getHandler());
    if (rule === 'public') return true;
    const { scopes } = callerOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (rule.some((scope) => hasScope(scopes, scope))) return true;
    throw new ApiError(
      'INSUFFICIENT_PERMISSIONS',
      { required_scope: rule[0], key_scopes: scopes },
      `This operation requires the scope ${rule[0]}.`,
    );
  }
}
