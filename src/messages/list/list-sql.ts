import type { MessageStatus } from '#contracts';
import type { Bindings } from '../../core/database/bindings';
import type { TimeRange } from '../../core/pagination/list-query.dto';
import type { SortField } from '../../core/pagination/sort';
import type { Partition } from '../counts/partition.rows';

export interface MessageFilter extends Partition, TimeRange {
  conversationId?: string;
  /** Key of an account of `platform`; lists with it are searches. */
  account?: string;
  /** Without `received`: that is a filter by direction. */
  status?: Exclude<MessageStatus, 'received'>;
}

/** Inputs of a list's SQL text. All others are bound, so that one text serves many lists. */
export interface ListShape {
  platform: MessageFilter['platform'];
  direction: MessageFilter['direction'];
  status: MessageFilter['status'];
  /** Whether the filter has them. */
  conversationId: boolean;
  from: boolean;
  until: boolean;
  order: readonly SortField[];
  /** Where the page begins: at the start of the list, before the second checkpoint, or after it. */
  depth: 'first' | 'near' | 'deep';
}

export interface ListValues extends MessageFilter {
  offset: number;
  limit: number;
  /** `offset` and `limit` together. */
  end: number;
}

/** The SQL text of a list binds its values by name. */
export type ListBindings = Bindings<keyof ListValues>;

export interface ListSql {
  /** Common table expressions that the others refer to. */
  tables: string[];
  /** One number: the count of messages that the filter selects. */
  total: string;
  /** The `id`s of the page. */
  page: string;
}

/** Messages without a place in their conversation are only in the lists of these statuses. */
export function isUnplaced(status: MessageFilter['status']): boolean {
  return status === 'scheduled' || status === 'cancelled';
}

/** Whether a list is sorted by time alone, as the indexes are. */
export function isByTime([first, second]: readonly SortField[]): boolean {
  return first?.column === 'created_at' && second?.column === 'id';
}
