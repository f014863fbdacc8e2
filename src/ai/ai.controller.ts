import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../core/clock/clock.service';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { BodyLimit } from '../core/http/body-limit.decorator';
import { ApiErrors } from '../core/openapi/api-errors.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { answerWithEvents, signalOfClient, wantsEventStream } from '../core/http/lifecycle/event-stream';
import { ApiIdempotencyKey } from '../core/idempotency/idempotency.decorator';
import { Idempotency, isIdempotent } from '../core/idempotency/idempotency.service';
import type { Caller } from '../core/http/lifecycle/request-context';
import { AiService } from './ai.service';
import { AiStatusDto, GeneratedDto } from './dto/ai.dto';
import { ApiGenerateAnswer } from './dto/generate-stream';
import { GenerateDto } from './dto/generate.dto';
import { PreviewDto, type PreviewRequest } from './dto/preview.dto';
import { PreviewPipe } from './preview/preview.pipe';
import { Preview } from './preview/preview.service';

@ApiTags('AI')
@Controller({ path: 'ai', version: '1' })
export class AiController {
  constructor(
    private readonly ai: AiService,
    private readonly previews: Preview,
    private readonly idempotency: Idempotency,
    private readonly clock: Clock,
  ) {}

  @Get('status')
  @RequireScope('read:status')
  @ApiOperation({
    summary: "Read the AI provider's status and usage",
    description:
      'Returns the health of the provider, and the usage of the key’s environment today and this month (UTC).',
  })
  @ApiEnvelope(AiStatusDto)
  getStatus(@CurrentCaller() caller: Caller) {
    return this.ai.status(caller);
  }

  @Post('generate')
  @HttpCode(200)
  @BodyLimit(2_560)
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Generate an answer without sending it',
    description:
      'Calls the AI and returns its answer. With `Accept: text/event-stream`, the answer is streamed: `event: delta` with `{text}` for each piece, then `event: result` with the envelope, or `event: error` with the body of an error.',
  })
  @ApiIdempotencyKey()
  @ApiExamples({
    question: { summary: 'A question', value: { message: 'When do you open tomorrow?' } },
    context: {
      summary: 'With context and another model',
      value: {
        message: 'And on Sunday?',
        context: [
          { role: 'user', content: 'When do you open tomorrow?' },
          { role: 'assistant', content: 'At nine.' },
        ],
        options: { model: 'claude-haiku-4-5', max_tokens: 200, temperature: 1 },
      },
    },
  })
  @ApiGenerateAnswer()
  @ApiErrors('AI_PROVIDER_ERROR')
  generate(
    @CurrentCaller() caller: Caller,
    @Body() body: GenerateDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    if (wantsEventStream(request)) return this.stream(caller, body, request, reply);
    const until = isIdempotent(request) ? undefined : signalOfClient(request, reply);
    return this.idempotency.answer(request, reply, {
      run: () => this.ai.generate(caller, request.gateway, body, undefined, until),
    });
  }

  @Post('preview')
  @HttpCode(200)
  @BodyLimit(800)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Try settings on a past conversation',
    description:
      'Answers a message of a past conversation again, with other `ai` settings. The answer is billed, but neither sent nor stored.',
  })
  @ApiBody({ type: PreviewDto })
  @ApiExamples({
    prompt: {
      summary: 'Another system prompt',
      value: {
        conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
        settings: { system_prompt: 'You answer for the bakery Ada & Sons. Be brief.' },
      },
    },
  })
  @ApiEnvelope(GeneratedDto)
  @ApiErrors('AI_PROVIDER_ERROR', 'RESOURCE_NOT_FOUND')
  preview(
    @CurrentCaller() caller: Caller,
    @Body(PreviewPipe) body: PreviewRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.previews.run(caller, request.gateway, body, signalOfClient(request, reply));
  }

  private stream(caller: Caller, body: GenerateDto, request: FastifyRequest, reply: FastifyReply) {
    return answerWithEvents(request, reply, this.clock, {
      run: async (emit, signal) => {
        let streamed = false;
        const onDelta = (text: string) => {
          streamed = true;
          emit('delta', { text });
        };
        // A client may repeat an idempotent request, so its answer is finished even if this client leaves.
        const until = isIdempotent(request) ? undefined : signal;
        const result = await this.idempotency.answer(request, reply, {
          run: () => this.ai.generate(caller, request.gateway, body, onDelta, until),
        });
        if (!streamed) onDelta(result.response);
        return result;
      },
    });
  }
}
