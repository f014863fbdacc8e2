import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationsService } from '../conversations/conversations.service';
import { ConversationDto } from '../conversations/dto/conversation.dto';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import { AnswerRequests } from './assistant/answer-requests.service';

@ApiTags('Conversations')
@Controller({ path: 'conversations', version: '1' })
export class AnswersController {
  constructor(
    private readonly answers: AnswerRequests,
    private readonly conversations: ConversationsService,
  ) {}

  @Post(':conversation_id/answer')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({
    operationId: 'conversations.answer',
    summary: 'Ask the assistant again',
    description:
      'Asks the assistant to answer the messages of an unanswered conversation. It counts against the budgets of the environment and of the person. If the conversation is not unanswered, or the assistant does not handle it, the response is INVALID_REQUEST.',
  })
  @ApiEnvelope(ConversationDto)
  async answer(
    @CurrentCaller() caller: Caller,
    @IdParam('conversation_id', 'conversation', 'Id of the conversation.') id: string,
  ) {
    return this.conversations.read(caller, await this.answers.request(caller.environment, id));
  }
}
