import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswersInTurn, countOf } from '../core/http/hardening/answer-turns.interceptor';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { BodyLimit } from '../core/http/body-limit.decorator';
import { ApiErrors } from '../core/openapi/api-errors.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { ApiIdempotencyKey } from '../core/idempotency/idempotency.decorator';
import { Idempotency } from '../core/idempotency/idempotency.service';
import { CountsMessage } from '../core/rate-limiting/counts-message.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { CancelledMessageDto, MessageDto, MessageListItemDto, SendResultDto } from './dto/message.dto';
import { MessageListQuery } from './dto/message-query.dto';
import { SendMessageDto } from './dto/send-message.dto';
import { SEND_EXAMPLES } from './dto/send-message.examples';
import { EarlierSend } from './send/earlier-send.service';
import { SEARCHED_WITHOUT_INDEX } from './list/search-list.rows';
import { MessageReader } from './list/message-reader.service';
import { MessagesService } from './messages.service';

const INDEX_IS_BUILT = {
  code: 'SEARCH_INCOMPLETE',
  message: `The index of the search is being built: only the newest ${SEARCHED_WITHOUT_INDEX} messages were searched.`,
};

@ApiTags('Messages')
@Controller({ path: 'messages', version: '1' })
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly reader: MessageReader,
    private readonly earlier: EarlierSend,
    private readonly idempotency: Idempotency,
  ) {}

  @Post('send')
  @HttpCode(200)
  @BodyLimit(200)
  @RequireScope('write:messages')
  @CountsMessage()
  @ApiOperation({
    summary: 'Send a message',
    description:
      'Sends a message to a recipient on a platform, in several parts if it is too long. If the platform rejects the message, the request still succeeds: the response has `status: "failed"` and the reason.',
  })
  @ApiExamples(SEND_EXAMPLES)
  @ApiIdempotencyKey()
  @ApiEnvelope(SendResultDto)
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  send(
    @CurrentCaller() caller: Caller,
    @Body() message: SendMessageDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { message: counted } = request.gateway;
    return this.idempotency.answer(request, reply, {
      run: (id) => this.messages.send(caller, message, { id, counted }),
      recover: (id) => this.earlier.result(caller, id, message),
      isRecoverable: ({ status }) => status === 'sent',
    });
  }

  @Get()
  @RequireScope('read:messages')
  @AnswersInTurn(({ per_page }) => countOf(per_page, 20, 100))
  @ApiOperation({
    summary: 'List messages',
    description:
      'Returns messages in both directions, newest first. With `q`, only those with these words; `total` then counts up to 10,000.',
  })
  @ApiPage(MessageListItemDto, MessageDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: MessageListQuery, @Req() { gateway }: FastifyRequest) {
    return this.reader.list(
      environment,
      query,
      () => (gateway.warnings = [...(gateway.warnings ?? []), INDEX_IS_BUILT]),
    );
  }

  @Delete(':message_id')
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Cancel a scheduled message',
    description:
      'Cancels a message that waits for its `send_at` or, for up to an hour, for its platform. A second request gets the same response. For any other message, including one that is being sent, the response is INVALID_REQUEST.',
  })
  @ApiEnvelope(CancelledMessageDto)
  cancel(
    @CurrentCaller() { environment }: Caller,
    @IdParam('message_id', 'message', 'Id of the message.') id: string,
  ): Promise<CancelledMessageDto> {
    return this.messages.cancel(environment, id);
  }

  @Get(':message_id')
  @RequireScope('read:messages')
  @ApiOperation({
    summary: 'Read a message',
    description: 'Returns a message with its status, receipts and AI usage.',
  })
  @ApiEnvelope(MessageDto)
  get(@CurrentCaller() { environment }: Caller, @IdParam('message_id', 'message', 'Id of the message.') id: string) {
    return this.messages.read(environment, id);
  }
}
