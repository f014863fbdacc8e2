import { DataWithMeta } from '../http/lifecycle/envelope';
import type { ListQuery } from './list-query.dto';
import type { SortField } from './sort';

export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

/** The result of a list handler. */
export class Page<T> extends DataWithMeta {
  readonly pagination: Pagination;

  constructor(
    readonly items: T[],
    { page, per_page }: Readonly<ListQuery>,
    total: number,
  ) {
    super();
    this.pagination = { page, per_page, total, total_pages: Math.ceil(total / per_page) };
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

/** @param rows at least one */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly PageRow<Row>[],
  query: Readonly<ListQuery>,
  toItem: (row: Row) => Item,
): Page<Item> {
  const items = rows[0]!.id === null ? [] : rows.map((row) => toItem(row as Row));
  return new Page(items, query, Number(rows[0]!.total));
}
