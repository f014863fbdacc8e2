import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersInTurn, countOf } from '../core/http/hardening/answer-turns.interceptor';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ConversationsService } from './conversations.service';
import { ConversationChangeDto } from './dto/conversation-change.dto';
import { HandoverItemDto, TakeOverDto } from './handover/handover.dto';
import { HandoverHistory } from './handover/handover-history.service';
import { ListQuery } from '../core/pagination/list-query.dto';
import { ConversationListQuery, ConversationReadQuery } from './dto/conversation-query.dto';
import {
  ClearedConversationDto,
  ConversationDto,
  ConversationListItemDto,
  ErasedConversationDto,
} from './dto/conversation.dto';
import { ConversationErasure } from './erasure/conversation-erasure.service';

const ConversationId = () => IdParam('conversation_id', 'conversation', 'Id of the conversation.');

const TAKEN_OVER = {
  handling: 'human',
  handover: {
    reason: null,
    summary: null,
    note: 'Waits for a refund.',
    assignee: 'Grace',
    requested_at: null,
    taken_at: '2026-01-31T12:00:00.000Z',
    resume_at: '2026-01-31T13:00:00.000Z',
  },
  ai_paused: true,
};

@ApiTags('Conversations')
@Controller({ path: 'conversations', version: '1' })
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly erasure: ConversationErasure,
    private readonly handovers: HandoverHistory,
  ) {}

  @Get()
  @RequireScope('read:conversations')
  @ApiOperation({
    summary: 'List conversations',
    description:
      'Returns one conversation for each person or group on a platform. The conversation with the newest message comes first.',
  })
  @ApiPage(ConversationListItemDto)
  list(@CurrentCaller() caller: Caller, @Query() query: ConversationListQuery) {
    return this.conversations.list(caller, query);
  }

  @Get(':conversation_id')
  @RequireScope('read:conversations')
  @AnswersInTurn(({ include_messages, message_limit }) => (include_messages ? countOf(message_limit, 50, 200) : 0))
  @ApiOperation({
    summary: 'Read a conversation',
    description: 'Returns a conversation. With `include_messages` it includes the newest messages, oldest first.',
  })
  @ApiEnvelope(ConversationDto)
  get(@CurrentCaller() caller: Caller, @ConversationId() id: string, @Query() query: ConversationReadQuery) {
    return this.conversations.read(caller, id, query);
  }

  @Patch(':conversation_id')
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Change a conversation: archive it, pause the assistant, set labels and metadata',
    description:
      'Changes the fields in the body. A new message makes an archived conversation active again. Messages that arrive while the assistant is paused are not answered.',
  })
  @ApiExamples({
    pause: { summary: 'A person takes over (`POST …/handover` offers more options)', value: { ai_paused: true } },
    archive: { summary: 'Archive it', value: { status: 'archived' } },
    label: { summary: 'Label it', value: { labels: ['vip'], metadata: { order: '4711' } } },
  })
  @ApiEnvelope(ConversationDto)
  update(@CurrentCaller() caller: Caller, @ConversationId() id: string, @Body() change: ConversationChangeDto) {
    return this.conversations.change(caller, id, change);
  }

  @Delete(':conversation_id')
  @RequireScope('admin:users')
  @ApiOperation({
    summary: "Erase a person's data in a conversation",
    description: `Erases the identity of the participant, the contents of all messages, all files and everything derived from them. This
cannot be undone. Messages that have not been sent are dropped. The conversation and its messages stay without content, so totals and
statistics do not change. After the response, nothing is stored, sent or answered in the conversation; the event
\`conversation.erased\` reports that all data is gone. A new message of the same person starts a new conversation. Erasing a conversation
again returns the same response.`,
  })
  @ApiEnvelope(ErasedConversationDto)
  erase(@CurrentCaller() { environment }: Caller, @ConversationId() id: string): Promise<ErasedConversationDto> {
    return this.erasure.erase(environment, id);
  }

  @Post(':conversation_id/clear')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Clear the AI context of a conversation',
    description: 'The assistant no longer sees earlier messages. The history stays.',
  })
  @ApiEnvelope(ClearedConversationDto)
  clear(@CurrentCaller() { environment }: Caller, @ConversationId() id: string) {
    return this.conversations.clear(environment, id);
  }

  @Get(':conversation_id/handovers')
  @RequireScope('read:conversations')
  @ApiOperation({
    summary: 'List the handovers of a conversation',
    description:
      'Returns the requests for a person and the takeovers, newest first: who, when, with which note, and how each ended. The one that lasts comes first.',
  })
  @ApiPage(HandoverItemDto)
  listHandovers(@CurrentCaller() { environment }: Caller, @ConversationId() id: string, @Query() query: ListQuery) {
    return this.handovers.list(environment, id, query);
  }

  @Post(':conversation_id/handover')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Take a conversation over from the assistant',
    description:
      'A person handles the conversation from now on: the assistant stays silent, and an answer in progress is not sent. A second call replaces assignee, note and timer; omitted fields become null.',
  })
  @ApiExamples({
    named: {
      summary: 'Take over for an hour',
      value: { assignee: 'Grace', note: 'Waits for a refund.', resume_after_minutes: 60 },
    },
    open: { summary: 'Take over until the assistant is resumed', value: {} },
  })
  @ApiEnvelope(ConversationDto, { example: TAKEN_OVER })
  takeOver(@CurrentCaller() caller: Caller, @ConversationId() id: string, @Body() terms: TakeOverDto) {
    return this.conversations.takeOver(caller, id, terms);
  }

  @Post(':conversation_id/resume')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({
    summary: 'Hand a conversation back to the assistant',
    description:
      'The assistant answers the next message. Messages that arrived while it was silent are not answered, but are part of its context.',
  })
  @ApiEnvelope(ConversationDto)
  resume(@CurrentCaller() caller: Caller, @ConversationId() id: string) {
    return this.conversations.resume(caller, id);
  }
}
