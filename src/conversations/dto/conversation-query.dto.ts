import { CONVERSATION_STATUSES, HANDLINGS, type ConversationStatus, type Handling, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { IntField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { BooleanField, EnumField, PlatformField } from '../../core/validation/fields/word-fields.decorator';

/** Field of `sort` → column. */
export const SORTABLE = {
  created_at: 'created_at',
  last_message_at: 'last_message_at',
  message_count: 'message_count',
};

export class ConversationListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @PlatformField({ orAll: true, description: 'Only conversations on this platform.' })
  platform?: Platform;

  @EnumField({ words: CONVERSATION_STATUSES, orAll: true, description: 'Only conversations in this status.' })
  status?: ConversationStatus;

  @EnumField({ words: HANDLINGS, orAll: true, description: 'Only conversations that the assistant, or a person, has.' })
  handling?: Handling;

  @TextField({
    max: 100,
    optional: true,
    description:
      "Only conversations whose participant's name, username or id holds this text, in any case; one or two characters match the beginning.",
    example: 'ada',
  })
  q?: string;

  @EnumField({ words: ['last_message'], optional: true, description: '`last_message`: items have `last_message` too.' })
  expand?: 'last_message';
}

export class ConversationReadQuery {
  @BooleanField({ optional: true, description: 'Whether the newest messages are part of the answer, oldest first.' })
  include_messages: boolean = false;

  @IntField({ min: 1, max: 200, optional: true, description: 'How many messages at most.' })
  message_limit: number = 50;

  @EnumField({ words: ['context'], optional: true, description: '`context`: the answer has `cleared_at` too.' })
  expand?: 'context';
}
