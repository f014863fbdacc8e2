import { ApiPropertyOptional } from '@nestjs/swagger';
import { CONVERSATION_STATUSES, PLATFORM_WORDS, type ConversationStatus, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import {
  ALL,
  Filter,
  Flag,
  IntegerBetween,
  OneOf,
  PlatformParameter,
} from '../../core/validation/parameters.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';

/** Field of `sort` → SQL column. */
export const SORTABLE = {
  created_at: 'created_at',
  last_message_at: 'last_message_at',
  message_count: 'message_count',
};

export class ConversationListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @ApiPropertyOptional({
    enum: [...PLATFORM_WORDS, ALL],
    default: ALL,
    description: 'Only conversations on this platform.',
  })
  @Filter()
  @PlatformParameter()
  platform?: Platform;

  @ApiPropertyOptional({
    enum: [...CONVERSATION_STATUSES, ALL],
    default: ALL,
    description: 'Only conversations in this status.',
  })
  @Filter()
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
