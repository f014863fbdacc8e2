import type { InfiniteData } from '@tanstack/react-query';
import type { Pagination } from '#client';

export type Pages<T> = InfiniteData<{ data: T[]; pagination: Pagination }>;

export function withChange<T extends { id: string }>(list: Pages<T>, id: string, change: Partial<T>): Pages<T> {
  const pages = list.pages.map((page) => ({
    ...page,
    data: page.data.map((item) => (item.id === id ? { ...item, ...change } : item)),
  }));
  return { ...list, pages };
}
