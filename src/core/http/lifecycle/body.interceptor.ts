import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { CredentialsCheck } from '../credentials-check.port';
import { BodyLimit } from '../body-limit.decorator';
import { LeaveBodyUnread } from '../leave-body-unread.decorator';
import { ApiError } from './api-error';
import { BODY_LIMIT_KIB, NOT_JSON, parseBody } from './body-parser';
import { hasBody, readBody } from './request-body';
import { isApi } from './request-context';

/**
 * Reads and parses the body, after the guards: the gateway looks at nothing of a stranger's body. A body may take 20 s to
 * arrive, and the key may be revoked meanwhile, so the key is checked again when the body is complete.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly credentials: CredentialsCheck,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && !(isApi(request) && hasBody(request.raw))) return next.handle();
    const handler = context.getHandler();
    if (this.reflector.get(LeaveBodyUnread, handler) !== undefined) return next.handle();
    const limitKib = (this.reflector.get(BodyLimit, handler) as number | undefined) ?? BODY_LIMIT_KIB;
    const received = this.receive(request, http.getResponse<FastifyReply>(), limitKib);
    return received.then(() => next.handle());
  }

  private async receive(request: FastifyRequest, reply: FastifyReply, limitKib: number): Promise<void> {
    const { raw } = request;
    // Guards that wait for nothing finish before Node reads on: a body that came with its headers is complete by now.
    const isLate = !raw.complete;
    try {
      await takeBody(request, limitKib);
    } catch (error) {
      // The client may still be sending the body.
      reply.header('connection', 'close');
      throw error;
    }
    if (isLate && request.gateway.caller) await this.credentials.check(request);
  }
}

async function takeBody(request: FastifyRequest, limitKib: number): Promise<void> {
  const { raw, headers } = request;
  if (headers['content-type'] !== undefined && request.mediaType === undefined) throw ApiError.malformed(NOT_JSON);
  if (!hasBody(raw)) return;
  request.body = parseBody(request, await readBody(raw, limitKib));
}

/**
 * Makes Fastify read no body, so that `BodyInterceptor` can. Content type parsers that pass a body through are not enough:
 * Fastify would still refuse media types before any guard ran. Call it when every route is registered.
 */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  for (const method of fastify.supportedMethods) {
    fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}
