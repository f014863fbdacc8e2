import { ApiPropertyOptional } from '@nestjs/swagger';
import { CONVERSATION_STATUSES, PLATFORM_WORDS, type ConversationStatus, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/http/list-query.dto';
import { Flag, IntegerBetween, OneOf, Optional, PlatformParameter } from '../../core/http/parameters';
import { SortBy } from '../../core/http/sort.decorator';

export class ConversationListQuery extends DatedListQuery {
  @SortBy('created_at', 'last_message_at', 'message_count')
  sort?: string;

  @ApiPropertyOptional({ enum: PLATFORM_WORDS, description: 'Only conversations on this platform.' })
  @Optional()
  @PlatformParameter()
  platform?: Platform;

  @ApiPropertyOptional({ enum: CONVERSATION_STATUSES, description: 'Only conversations in this status.' })
  @Optional()
  @OneOf(CONVERSATION_STATUSES)
  status?: ConversationStatus;
}

export class ConversationReadQuery {
  @ApiPropertyOptional({
    default: false,
    description: 'Whether the newest messages are part of the answer, oldest first.',
  })
  @Flag()
  include_messages: boolean = false;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'How many messages at most.',
  })
  @IntegerBetween(1, 200)
  message_limit: number = 50;
}
