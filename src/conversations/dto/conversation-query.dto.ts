import { CONVERSATION_STATUSES, type ConversationStatus, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { IntField } from '../../core/validation/fields/number-fields.decorator';
import { BooleanField, EnumField, PlatformField } from '../../core/validation/fields/word-fields.decorator';

/** Field of `sort` → property of the entity. */
export const SORTABLE = {
  created_at: 'createdAt',
  last_message_at: 'lastMessageAt',
  message_count: 'messageCount',
};

export class ConversationListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @PlatformField({ orAll: true, description: 'Only conversations on this platform.' })
  platform?: Platform;

  @EnumField({ words: CONVERSATION_STATUSES, orAll: true, description: 'Only conversations in this status.' })
  status?: ConversationStatus;
}

export class ConversationReadQuery {
  @BooleanField({ optional: true, description: 'Whether the newest messages are part of the answer, oldest first.' })
  include_messages: boolean = false;

  @IntField({ min: 1, max: 200, optional: true, description: 'How many messages at most.' })
  message_limit: number = 50;
}
