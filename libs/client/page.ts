import type { GatewayResponse } from './response';

export interface Pagination {
  page: number;
  per_page: number;
  /** Number of items in the whole list. */
  total: number;
  total_pages: number;
  /** True if the list has more than 10,000 items: `total` is then 10,000, and pages beyond it are empty. */
  total_capped?: boolean;
}

/** The fields that every page of a list has beside its items; some lists have more. */
export interface PageMeta {
  timestamp: string;
  pagination: Pagination;
}

/** One page of a list. */
export class Page<T, Meta extends PageMeta = PageMeta> {
  readonly pagination: Pagination;

  constructor(
    readonly data: T[],
    readonly meta: Meta,
    /** The request id and rate limit of its answer. */
    readonly response: GatewayResponse,
    private readonly read: (page: number) => Promise<Page<T, Meta>>,
  ) {
    this.pagination = meta.pagination;
  }

  hasNextPage(): boolean {
    return this.pagination.page < this.pagination.total_pages;
  }

  /** @throws RangeError after the last page */
  async nextPage(): Promise<Page<T, Meta>> {
    if (!this.hasNextPage()) throw new RangeError('This is the last page');
    return this.read(this.pagination.page + 1);
  }
}
