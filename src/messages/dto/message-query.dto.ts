import { ApiPropertyOptional } from '@nestjs/swagger';
import { DIRECTIONS, parsePlatform, PLATFORM_WORDS, textFault, type Direction, type Platform } from '#contracts';
import { DatedListQuery, timeRange } from '../../core/pagination/list-query.dto';
import {
  ALL,
  Filter,
  isIsoTime,
  OneOf,
  Optional,
  PlatformParameter,
  Text,
} from '../../core/validation/parameters.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';

const MAX_CONVERSATION_ID_LENGTH = 100;

/** Field of `sort` → SQL column. */
export const SORTABLE = {
  created_at: 'created_at',
  platform: 'platform',
  direction: 'direction',
  conversation_id: 'conversation_id',
};

export class MessageListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @ApiPropertyOptional({ enum: [...PLATFORM_WORDS, ALL], default: ALL, description: 'Only messages on this platform.' })
  @Filter()
  @PlatformParameter()
  platform?: Platform;

  @ApiPropertyOptional({ enum: [...DIRECTIONS, ALL], default: ALL, description: 'Only messages of this direction.' })
  @Filter()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  @ApiPropertyOptional({
    description: 'Only messages of this conversation.',
    example: 'conv_01h455vb4pex5vsknk084sn02q',
  })
  @Optional()
  @Text(MAX_CONVERSATION_ID_LENGTH)
  conversation_id?: string;

  /** The queries that most are, by the rules of the decorators: without `sort` (see ParameterValidation). */
  static fromValid(query: Partial<Record<string, unknown>>): MessageListQuery | undefined {
    const accepted = new MessageListQuery();
    for (const [name, value] of Object.entries(query)) {
      if (typeof value !== 'string' || !Object.hasOwn(ACCEPT, name)) return undefined;
      if (!ACCEPT[name as keyof typeof ACCEPT](value, accepted)) return undefined;
    }
    const { from, until } = timeRange(accepted);
    return from && until && until <= from ? undefined : accepted;
  }
}

/** Of each parameter: takes a value that is valid beyond doubt, and tells whether it is. */
const ACCEPT = {
  page: (value: string, query: MessageListQuery) => (query.page = integer(value)) >= 1 && query.page <= 2 ** 31,
  per_page: (value: string, query: MessageListQuery) => (query.per_page = integer(value)) >= 1 && query.per_page <= 100,
  platform: (value: string, query: MessageListQuery) =>
    value === ALL || (query.platform = parsePlatform(value)) !== undefined,
  direction: (value: string, query: MessageListQuery) =>
    value === ALL || DIRECTIONS.includes((query.direction = value as Direction)),
  start_date: (value: string, query: MessageListQuery) => isIsoTime((query.start_date = value)),
  end_date: (value: string, query: MessageListQuery) => isIsoTime((query.end_date = value)),
  conversation_id: (value: string, query: MessageListQuery) =>
    textFault((query.conversation_id = value), MAX_CONVERSATION_ID_LENGTH) === undefined,
};

function integer(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : NaN;
}
