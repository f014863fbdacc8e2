import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { CredentialsCheck } from '../credentials-check.port';
import { LongestBody } from '../body-limit.decorator';
import { LeaveBodyUnread } from '../leave-body-unread.decorator';
import { PerHandler, type Handler } from '../per-handler';
import { ApiError } from './api-error';
import { BODY_LIMIT_KIB, NOT_JSON, parseBody } from './body-parser';
import { hasBody, readBody } from './request-body';
import { isApi } from './request-context';

/** How a handler takes its body. */
interface BodyRules {
  isLeftUnread: boolean;
  limitKib: number;
}

/**
 * Reads and parses the body, after the guards: nothing of a stranger's body is looked at. A body may take 20 s to arrive,
 * and the key may be revoked meanwhile, so it is judged again when the body is complete.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly rules = new PerHandler<BodyRules>((_controller, handler) => this.rulesOf(handler));

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
    const rules = this.rules.of(context);
    if (rules.isLeftUnread) return next.handle();
    const received = this.receive(request, http.getResponse<FastifyReply>(), rules);
    return received.then(() => next.handle());
  }

  private rulesOf(handler: Handler): BodyRules {
    const limitKib = this.reflector.get(LongestBody, handler) as number | undefined;
    return {
      isLeftUnread: this.reflector.get(LeaveBodyUnread, handler) !== undefined,
      limitKib: limitKib ?? BODY_LIMIT_KIB,
    };
  }

  private async receive(request: FastifyRequest, reply: FastifyReply, rules: BodyRules): Promise<void> {
    const { raw } = request;
    // Guards that wait for nothing are done before Node has read on: a body that came with its headers is complete by now.
    const isLate = !raw.complete;
    try {
      await takeBody(request, rules);
    } catch (error) {
      // The client may be sending more of it.
      reply.header('connection', 'close');
      throw error;
    }
    if (isLate && request.gateway.caller) await this.credentials.check(request);
  }
}

async function takeBody(request: FastifyRequest, { limitKib }: BodyRules): Promise<void> {
  const { raw, headers } = request;
  if (headers['content-type'] !== undefined && request.mediaType === undefined) throw ApiError.malformed(NOT_JSON);
  if (!hasBody(raw)) return;
  request.body = parseBody(request, await readBody(raw, limitKib));
}

/**
 * Has Fastify read no body, so that `BodyInterceptor` can. With parsers that pass a body on, Fastify would still refuse
 * media types before any guard ran. To be called when every route is there.
 */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
  for (const method of fastify.supportedMethods) {
    fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}
