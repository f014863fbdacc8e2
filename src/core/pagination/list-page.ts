import { Page } from '../http/lifecycle/envelope';

/** A row of a list, with the list's total; of an empty page one row comes back, which carries the total alone. */
export type PageRow<Row> = (Row | { id: null }) & { total: number | string };

/** @param rows at least one */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly PageRow<Row>[],
  query: { page: number; per_page: number },
  toItem: (row: Row) => Item,
): Page<Item> {
  const items = rows.filter(({ id }) => id !== null).map((row) => toItem(row as Row));
  return new Page(items, query, Number(rows[0]!.total));
}
