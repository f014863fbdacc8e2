import { CONVERSATION_STATUSES, HANDLINGS, type ConversationStatus, type Handling, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { IntField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import {
  AccountFilter,
  BooleanField,
  EnumField,
  PlatformField,
} from '../../core/validation/fields/word-fields.decorator';

/** Field of `sort` → column. */
export const SORTABLE = {
  created_at: 'created_at',
  last_message_at: 'last_message_at',
  message_count: 'message_count',
};

export class ConversationListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @PlatformField({ orAll: true, description: 'Return only conversations on this platform.' })
  platform?: Platform;

  @AccountFilter('conversations')
  account_id?: string;

  @EnumField({ words: CONVERSATION_STATUSES, orAll: true, description: 'Return only conversations with this status.' })
  status?: ConversationStatus;

  @EnumField({ words: HANDLINGS, orAll: true, description: 'Return only conversations with this handling.' })
  handling?: Handling;

  @TextField({
    max: 100,
    optional: true,
    description:
      "Return only conversations whose participant's name, username or id contains this text, ignoring case; one or two characters match the beginning.",
    example: 'ada',
  })
  q?: string;

  @TextField({ max: 50, optional: true, description: 'Return only conversations with this label.', example: 'vip' })
  label?: string;

  @BooleanField({
    optional: true,
    description:
      'True: return only conversations that the assistant handles and whose newest message wants an answer but has none, while none is being made. False: return only the others.',
    example: true,
  })
  unanswered?: boolean;

  @EnumField({
    words: ['last_message'],
    optional: true,
    description: '`last_message` adds the newest messages, and the time of the next scheduled one, to each item.',
  })
  expand?: 'last_message';
}

export class ConversationReadQuery {
  @BooleanField({ optional: true, description: 'Whether to include the newest messages, oldest first.' })
  include_messages: boolean = false;

  @IntField({ min: 1, max: 200, optional: true, description: 'Maximum number of messages.' })
  message_limit: number = 50;

  @EnumField({ words: ['context'], optional: true, description: '`context` adds `cleared_at`.' })
  expand?: 'context';
}
