import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Access, ServedDuringOutage } from '../../core/http/access.decorator';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { CredentialsCheck } from '../../core/http/credentials-check.port';

/** The first guard: the key is known, neither revoked nor expired, and allowed at the client's address. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly credentials: CredentialsCheck,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    // Global guards also run for the listeners of nestjs-telegraf and necord.
    if (context.getType() !== 'http') return true;
    if (this.reflector.get(Access, context.getHandler()) === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const pending = this.credentials.check(request);
    if (!pending) return true;
    const isServed = this.reflector.get(ServedDuringOutage, context.getHandler());
    return (isServed ? pending.catch((error: unknown) => this.checkLastKnown(request, error)) : pending).then(
      () => true,
    );
  }

  private checkLastKnown(request: FastifyRequest, error: unknown): void {
    if (error instanceof ApiError || !this.credentials.checkLastKnown(request)) throw error;
  }
}
