import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  endOf,
  IntegerBetween,
  ISO_TIME_PATTERN,
  IsoTime,
  NotBefore,
  Optional,
} from '../validation/parameters.decorator';

/** The parameters that every list takes; each adds its own `sort`. */
export class ListQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 2 ** 31,
    default: 1,
    description: 'Page number, from 1.',
  })
  @IntegerBetween(1, 2 ** 31)
  page: number = 1;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'Items on a page.' })
  @IntegerBetween(1, 100)
  per_page: number = 20;
}

/** The parameters of a list that can be cut by time. */
export class DatedListQuery extends ListQuery {
  @ApiPropertyOptional({
    description: 'Only what was created then or later: an ISO 8601 date or timestamp.',
    pattern: ISO_TIME_PATTERN,
    example: '2026-01-01',
  })
  @Optional()
  @IsoTime()
  start_date?: string;

  @ApiPropertyOptional({
    description: 'Only what was created then or earlier; a bare date includes its whole UTC day.',
    pattern: ISO_TIME_PATTERN,
    example: '2026-01-31',
  })
  @Optional()
  @IsoTime()
  @NotBefore('start_date')
  end_date?: string;
}

/** Half-open: `from` is included, `until` is not. */
export interface TimeRange {
  from?: Date;
  until?: Date;
}

export function timeRange({ start_date, end_date }: DatedListQuery): TimeRange {
  const from = start_date === undefined ? undefined : new Date(start_date);
  const until = end_date === undefined ? undefined : endOf(end_date);
  return { from, until };
}
