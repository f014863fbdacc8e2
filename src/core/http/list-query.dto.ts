import { ApiPropertyOptional } from '@nestjs/swagger';
import { ApiError } from './api-error';
import { endOf, IntegerBetween, IsoTime, Optional, Text } from './parameters';

/** The parameters that every list takes. */
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

  @ApiPropertyOptional({
    description: 'Fields to sort by, separated by commas; a minus sign before a field sorts descending.',
  })
  @Optional()
  @Text(200)
  sort?: string;
}

/** The parameters of a list that can be cut by time. */
export class DatedListQuery extends ListQuery {
  @ApiPropertyOptional({
    description: 'Only what was created then or later: an ISO 8601 date or timestamp.',
    example: '2026-01-01',
  })
  @Optional()
  @IsoTime()
  start_date?: string;

  @ApiPropertyOptional({
    description: 'Only what was created then or earlier; a bare date includes its whole UTC day.',
    example: '2026-01-31',
  })
  @Optional()
  @IsoTime()
  end_date?: string;
}

/** Half-open: `from` is included, `until` is not. */
export interface TimeRange {
  from?: Date;
  until?: Date;
}

/** @throws ApiError INVALID_PARAMETER when the range ends before it starts */
export function timeRange({ start_date, end_date }: DatedListQuery): TimeRange {
  const from = start_date === undefined ? undefined : new Date(start_date);
  const until = end_date === undefined ? undefined : endOf(end_date);
  if (from && until && until <= from) {
    throw ApiError.invalidParameter('end_date', 'must not be before start_date', end_date);
  }
  return { from, until };
}
