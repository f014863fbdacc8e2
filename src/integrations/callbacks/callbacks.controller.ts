import { All, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parsePlatform } from '#contracts';
import { Public } from '../../core/http/access.decorator';
import { KeepRawBody } from '../../core/http/keep-raw-body.decorator';
import { unknownRoute } from '../../core/http/lifecycle/request-hooks';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { Adapters } from '../platforms/adapters.service';

/** Where platforms that call us post their updates. They authenticate in their own ways, which the adapters check. */
@ApiExcludeController()
@Controller('callbacks')
export class CallbacksController {
  constructor(
    private readonly adapters: Adapters,
    private readonly sinks: InboundSinks,
  ) {}

  @All(':platform')
  @Public()
  @KeepRawBody()
  async callback(
    @Param('platform') word: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const platform = parsePlatform(word);
    const adapter = platform && this.adapters.of('live', platform);
    const { method } = request;
    if (!adapter?.callback || adapter.unconfigured !== undefined || (method !== 'GET' && method !== 'POST')) {
      throw unknownRoute(request);
    }
    const called = {
      method,
      query: request.query as Record<string, string | undefined>,
      headers: request.headers,
      rawBody: request.rawBody ?? Buffer.alloc(0),
    } as const;
    const { status, body } = await adapter.callback(called, this.sinks.of(adapter.platform));
    await reply.status(status).type('text/plain; charset=utf-8').send(body);
  }
}
