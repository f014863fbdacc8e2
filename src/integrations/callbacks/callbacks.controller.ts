import { All, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallbackHead, CallbackResponse } from '#platforms';
import { DEFAULT_ACCOUNT, parsePlatform } from '#contracts';
import { Public } from '../../core/http/access.decorator';
import { LeaveBodyUnread } from '../../core/http/leave-body-unread.decorator';
import { unknownRoute } from '../../core/http/lifecycle/request-hooks';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { Adapters } from '../platforms/adapters.service';
import { CallbackBodies } from './callback-bodies.service';

/**
 * Receives the updates that platforms post. Each adapter authenticates its platform's requests. It checks the headers
 * first, so that the body of a request without credentials is not read.
 */
@ApiExcludeController()
@Controller('callbacks')
export class CallbacksController {
  constructor(
    private readonly adapters: Adapters,
    private readonly sinks: InboundSinks,
    private readonly bodies: CallbackBodies,
  ) {}

  @All(':platform')
  @Public()
  @LeaveBodyUnread()
  async callback(
    @Param('platform') word: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const platform = parsePlatform(word);
    const adapter = platform && this.adapters.of({ environment: 'live', platform, account: DEFAULT_ACCOUNT });
    const { method } = request;
    if (!adapter?.callback || adapter.unconfigured !== undefined || (method !== 'GET' && method !== 'POST')) {
      throw unknownRoute(request);
    }
    const head: CallbackHead = {
      method,
      query: request.query as Record<string, string | undefined>,
      headers: request.headers,
    };
    const refusal = adapter.refuseCallback?.(head);
    if (refusal) return answer(reply, refusal);
    const rawBody = await this.bodies.read(request, reply);
    await answer(reply, await adapter.callback({ ...head, rawBody }, this.sinks.of(adapter.at)));
  }
}

async function answer(reply: FastifyReply, { status, body }: CallbackResponse): Promise<void> {
  await reply.status(status).type('text/plain; charset=utf-8').send(body);
}
