import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '#contracts';
import { callerOf } from './lifecycle/request-context';
import { unknownRoute } from './lifecycle/request-hooks';

/**
 * Admits keys of one environment only: `@UseGuards(new EnvironmentGuard('test'))`. For other keys the route does not exist,
 * even with an invalid body: a guard runs before the body is read.
 */
export class EnvironmentGuard implements CanActivate {
  constructor(private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (callerOf(request).environment === this.environment) return true;
    throw unknownRoute(request);
  }
}
