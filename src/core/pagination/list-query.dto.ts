import { IntField } from '../validation/fields/number-fields.decorator';
import { TimeField } from '../validation/fields/time-field.decorator';
import { endOf } from '../validation/iso-time';

/** The parameters of every list; each list adds its own `sort`. */
export class ListQuery {
  @IntField({ min: 1, max: 2 ** 31, optional: true, description: 'Page number, from 1.' })
  page: number = 1;

  @IntField({ min: 1, max: 100, optional: true, description: 'Maximum number of items on a page.' })
  per_page: number = 20;
}

/** The parameters of a list that has a time range. */
export class DatedListQuery extends ListQuery {
  @TimeField({
    optional: true,
    description: 'Created at or after this time (an ISO 8601 date or timestamp).',
    example: '2026-01-01',
  })
  start_date?: string;

  @TimeField({
    optional: true,
    notBefore: 'start_date',
    description: 'Created at or before this time; a date without time includes its whole UTC day.',
    example: '2026-01-31',
  })
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
