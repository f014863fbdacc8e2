import type { TimeRange } from '../../core/pagination/list-query.dto';
import type { SortField } from '../../core/pagination/sort';
import type { Partition } from './partition';

export interface MessageFilter extends Partition, TimeRange {
  conversationId?: string;
}

/** SQL of a list. */
export interface ListSql {
  /** Common table expressions that the others refer to. */
  tables: string[];
  /** One number: the count of messages that the filter selects. */
  total: string;
  /** The `id`s of the page. */
  page: string;
}

/** Whether a list is sorted by time alone, as the indexes are. */
export function isByTime([first, second]: readonly SortField[]): boolean {
  return first?.column === 'created_at' && second?.column === 'id';
}
