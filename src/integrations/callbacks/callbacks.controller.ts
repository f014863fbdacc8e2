import { All, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parsePlatform } from '#contracts';
import { Public } from '../../core/http/access.decorator';
import { KeepRawBody } from '../../core/http/keep-raw-body.decorator';
import { unknownRoute } from '../../core/http/lifecycle/request-hooks';
import { Integrations } from '../integrations.service';

/** Where platforms that call us post their updates. They authenticate in their own ways, which the adapters check. */
@ApiExcludeController()
@Controller('callbacks')
export class CallbacksController {
  constructor(private readonly integrations: Integrations) {}

  @All(':platform')
  @Public()
  @KeepRawBody()
  async callback(
    @Param('platform') word: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const platform = parsePlatform(word);
    const adapter = platform && this.integrations.adapter('live', platform);
    const { method } = request;
    if (!adapter?.callback || adapter.unconfigured !== undefined || (method !== 'GET' && method !== 'POST')) {
      throw unknownRoute(request);
    }
    const { status, body } = await this.integrations.callback(adapter, {
      method,
      query: request.query as Record<string, string | undefined>,
      headers: request.headers,
      rawBody: request.rawBody ?? Buffer.alloc(0),
    });
    await reply.status(status).type('text/plain; charset=utf-8').send(body);
  }
}
