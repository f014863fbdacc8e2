import { orderBy, type SortField } from './sort';

/**
 * SQL of the `id`s of a page, read from the nearer end of its list. To skip the rows before the page, the statement reads
 * only an index.
 * @param rows FROM and WHERE of the list
 * @param limit SQL of a bigint, as is `offset`
 * @returns the page, and the tables that it needs besides `counted`, which has the list's `total`
 */
export function pageFromNearerEnd({
  rows,
  order,
  limit,
  offset,
}: {
  rows: string;
  order: readonly SortField[];
  limit: string;
  offset: string;
}): { place: string[]; page: string } {
  const backwards = order.map(({ column, descending }) => ({ column, descending: !descending }));
  return {
    place: [`place AS (SELECT total - ${offset} AS rest, ${offset} <= total / 2 AS near FROM counted)`],
    // One of the two has LIMIT 0 and does not run.
    page: `(SELECT id ${rows} ORDER BY ${orderBy(order)}
        LIMIT (SELECT CASE WHEN near THEN ${limit} ELSE 0 END FROM place) OFFSET ${offset})
      UNION ALL
      (SELECT id ${rows} ORDER BY ${orderBy(backwards)}
        LIMIT (SELECT CASE WHEN near THEN 0 ELSE greatest(0, least(${limit}, rest)) END FROM place)
        OFFSET (SELECT greatest(0, rest - ${limit}) FROM place))`,
  };
}
