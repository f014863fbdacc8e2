import { DataWithMeta } from '../http/lifecycle/envelope';
import type { ListQuery } from './list-query.dto';
import type { SortField } from './sort';

/** The most items that a list counts whose total is not exact; it has no pages after them. */
export const TOTAL_CAP = 10_000;

export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
  /** Only if the list has more items than it counts: `total` is then the number that it counts. */
  total_capped?: true;
}

/** The result of a list handler. */
export class Page<T> extends DataWithMeta {
  readonly pagination: Pagination;

  constructor(
    readonly items: T[],
    { page, per_page }: Readonly<ListQuery>,
    total: number,
    /** The most items that the list counts. */
    cap = Infinity,
  ) {
    super();
    const counted = Math.min(total, cap);
    this.pagination = {
      page,
      per_page,
      total: counted,
      total_pages: Math.ceil(counted / per_page),
      ...(total > cap && { total_capped: true }),
    };
  }

  get data(): T[] {
    return this.items;
  }

  get meta(): { pagination: Pagination } {
    return { pagination: this.pagination };
  }
}

/** A page, by its position in the list. */
export interface Slice {
  order: readonly SortField[];
  offset: number;
  limit: number;
}

export function sliceOf({ page, per_page: limit }: Readonly<ListQuery>, order: readonly SortField[]): Slice {
  return { order, offset: (page - 1) * limit, limit };
}

/** A row of a list, with the list's total. An empty page has one row, which holds only the total. */
export type PageRow<Row> = (Row | { id: null }) & { total: number | string };

/**
 * @param rows at least one
 * @param cap the most items that the list counts
 */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly PageRow<Row>[],
  query: Readonly<ListQuery>,
  toItem: (row: Row) => Item,
  cap?: number,
): Page<Item> {
  const items = rows[0]!.id === null ? [] : rows.map((row) => toItem(row as Row));
  return new Page(items, query, Number(rows[0]!.total), cap);
}
