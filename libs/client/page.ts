export interface Pagination {
  page: number;
  per_page: number;
  /** Items in the whole list. */
  total: number;
  total_pages: number;
}

/** One page of a list. */
export class Page<T> {
  constructor(
    readonly data: T[],
    readonly pagination: Pagination,
    private readonly read: (page: number) => Promise<Page<T>>,
  ) {}

  hasNextPage(): boolean {
    return this.pagination.page < this.pagination.total_pages;
  }

  /** @throws RangeError after the last page */
  async nextPage(): Promise<Page<T>> {
    if (!this.hasNextPage()) throw new RangeError('This is the last page');
    return this.read(this.pagination.page + 1);
  }
}
