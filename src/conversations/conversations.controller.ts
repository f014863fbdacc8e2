import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ConversationsService } from './conversations.service';
import { ConversationChangeDto } from './dto/conversation-change.dto';
import { ConversationListQuery, ConversationReadQuery } from './dto/conversation-query.dto';
import { ClearedConversationDto, ConversationDto, ConversationListItemDto } from './dto/conversation.dto';

const ConversationId = () => IdParam('conversation_id', 'conversation', 'The conversation.');

@ApiTags('Conversations')
@Controller({ path: 'conversations', version: '1' })
export class ConversationsController {
  constructor(private readonly conversations: ConversationsService) {}

  @Get()
  @RequireScope('read:conversations')
  @ApiOperation({ summary: 'List conversations' })
  @ApiPage(ConversationListItemDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: ConversationListQuery) {
    return this.conversations.list(environment, query);
  }

  @Get(':conversation_id')
  @RequireScope('read:conversations')
  @ApiOperation({ summary: 'Read a conversation' })
  @ApiEnvelope(ConversationDto)
  read(@CurrentCaller() { environment }: Caller, @ConversationId() id: string, @Query() query: ConversationReadQuery) {
    return this.conversations.read(environment, id, query);
  }

  @Patch(':conversation_id')
  @RequireScope('write:messages')
  @ApiOperation({ summary: 'Archive a conversation, or pause the assistant in it' })
  @ApiExamples({
    pause: { summary: 'A person takes over', value: { ai_paused: true } },
    archive: { summary: 'Archive it', value: { status: 'archived' } },
  })
  @ApiEnvelope(ConversationDto)
  change(
    @CurrentCaller() { environment }: Caller,
    @ConversationId() id: string,
    @Body() change: ConversationChangeDto,
  ) {
    return this.conversations.change(environment, id, change);
  }

  @Post(':conversation_id/clear')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({ summary: 'Clear the AI context of a conversation' })
  @ApiEnvelope(ClearedConversationDto)
  clear(@CurrentCaller() { environment }: Caller, @ConversationId() id: string) {
    return this.conversations.clear(environment, id);
  }
}
