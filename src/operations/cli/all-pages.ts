import type { Page } from '../../core/pagination/list-page';

/** The longest page of a list. */
const PER_PAGE = 100;

/** All items of a list, in its order. */
export async function allPages<T>(read: (query: { page: number; per_page: number }) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = await read({ page, per_page: PER_PAGE });
    items.push(...data);
    if (page >= pagination.total_pages) return items;
  }
}
