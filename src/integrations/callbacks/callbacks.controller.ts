import { All, Controller, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallbackHead, CallbackResponse } from '#platforms';
import { fromPublicId, parsePlatform } from '#contracts';
import { Public } from '../../core/http/access.decorator';
import { LeaveBodyUnread } from '../../core/http/leave-body-unread.decorator';
import { unknownRoute } from '../../core/http/lifecycle/request-hooks';
import type { LiveAccount } from '../platforms/adapters.service';
import { AccountCallbacks } from './account-callbacks.service';
import { CallbackBodies } from './callback-bodies.service';

/**
 * Receives the updates that platforms post. Each adapter authenticates its platform's requests. It checks the headers
 * first, so that the body of a request without credentials is not read.
 */
@ApiExcludeController()
@Controller('callbacks')
export class CallbacksController {
  constructor(
    private readonly callbacks: AccountCallbacks,
    private readonly bodies: CallbackBodies,
  ) {}

  /** For all accounts of the platform: each checks the request with its own secret. */
  @All(':platform')
  @Public()
  @LeaveBodyUnread()
  async callback(
    @Param('platform') word: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const platform = parsePlatform(word);
    await this.answer(platform ? this.callbacks.accounts(platform) : [], request, reply, false);
  }

  /** For one account. */
  @All(':platform/:account_id')
  @Public()
  @LeaveBodyUnread()
  async accountCallback(
    @Param('platform') word: string,
    @Param('account_id') publicId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const platform = parsePlatform(word);
    const id = fromPublicId('account', publicId);
    await this.answer(platform && id ? this.callbacks.accounts(platform, id) : [], request, reply, true);
  }

  private async answer(
    accounts: readonly LiveAccount[],
    request: FastifyRequest,
    reply: FastifyReply,
    isOwnAddress: boolean,
  ): Promise<void> {
    const { method } = request;
    if (accounts.length === 0 || (method !== 'GET' && method !== 'POST')) throw unknownRoute(request);
    const head: CallbackHead = {
      method,
      query: request.query as Record<string, string | undefined>,
      headers: request.headers,
    };
    const refusals = accounts.map(({ adapter }) => adapter.refuseCallback(head));
    const admitting = accounts.filter((_, index) => refusals[index] === undefined);
    if (admitting.length === 0) return answer(reply, refusals[0]!);
    const rawBody = await this.bodies.read(request, reply);
    await answer(reply, await this.callbacks.run(admitting, { ...head, rawBody }, isOwnAddress));
  }
}

async function answer(reply: FastifyReply, { status, body }: CallbackResponse): Promise<void> {
  await reply.status(status).type('text/plain; charset=utf-8').send(body);
}
