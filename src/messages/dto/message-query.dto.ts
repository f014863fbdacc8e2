import { DIRECTIONS, MESSAGE_STATUSES, type Direction, type MessageStatus, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { AccountFilter, EnumField, PlatformField } from '../../core/validation/fields/word-fields.decorator';

/** Field of `sort` → SQL column. */
export const SORTABLE = {
  created_at: 'created_at',
  platform: 'platform',
  direction: 'direction',
  conversation_id: 'conversation_id',
};

const EXPANSIONS = ['details', 'usage'] as const;

export class MessageListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @PlatformField({ orAll: true, description: 'Return only messages on this platform.' })
  platform?: Platform;

  @AccountFilter('messages')
  account_id?: string;

  @EnumField({ words: DIRECTIONS, orAll: true, description: 'Return only messages of this direction.' })
  direction?: Direction;

  @EnumField({
    words: MESSAGE_STATUSES,
    orAll: true,
    description:
      'Return only messages with this status. `scheduled` and `cancelled` messages appear in no other list. For statuses other than `received` and `failed`, `start_date`, `end_date` or other filters must narrow the search to at most a million messages.',
  })
  status?: MessageStatus;

  @TextField({
    max: 100,
    optional: true,
    description: 'Return only messages of this conversation.',
    example: 'conv_01h455vb4pex5vsknk084sn02q',
  })
  conversation_id?: string;

  @TextField({
    max: 100,
    optional: true,
    description:
      'Return only messages whose text has all these words, in any order; the last one may be the beginning of a word. Case and accents do not matter. In scripts that do not separate words, any run of characters matches.',
    example: 'umbrella',
  })
  q?: string;

  @EnumField({
    words: EXPANSIONS,
    optional: true,
    description:
      '`details` adds all fields of a single read. `usage` adds these fields and the duration (`latency_ms`) and cost (`cost_usd`) of each message.',
  })
  expand?: (typeof EXPANSIONS)[number];
}
