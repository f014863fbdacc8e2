import { Page, type PageMeta } from './page';
import type { GatewayResponse } from './response';

/** The envelope of a page, with its answer. */
export interface PageAnswer<T, Meta extends PageMeta> {
  data: T[];
  meta: Meta;
  response: GatewayResponse;
}

export interface ListTraits {
  /** Whether the list can be cut by `end_date`. */
  isDated?: boolean;
  /** The order for iterating, if the list's own order may change meanwhile. */
  iteratedSort?: string;
}

interface ListQuery {
  page?: number;
  per_page?: number;
  sort?: string;
  end_date?: string;
}

/** The gateway's maximum, because iterating reads all items. */
const ITERATED_PER_PAGE = 100;
/** Ids kept to skip repeated items. Only items that are being written can still shift the list: far fewer than this. */
const REMEMBERED_IDS = 1_000;
/** The clock of the instance that dates an item may be ahead by a fraction of a second. In milliseconds. */
const CLOCK_TOLERANCE_MS = 250;
const DAY_MS = 86_400_000;

/**
 * A list in pages: `await` it for one page, or iterate over it for all items. Until then it sends no request.
 *
 * Pages are counted from the newest item, so new items shift them. From the second page on, the client therefore reads a
 * list that can be cut by date as it was at the time of the first page. Iterating gives no item twice.
 */
export class List<T, Meta extends PageMeta = PageMeta> implements PromiseLike<Page<T, Meta>>, AsyncIterable<T> {
  private first: Promise<Page<T, Meta>> | undefined;

  /** @internal */
  constructor(
    private readonly read: (query: object) => Promise<PageAnswer<T, Meta>>,
    private readonly query: ListQuery,
    private readonly traits: ListTraits,
  ) {}

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting it for a page is its purpose
  then<R = Page<T, Meta>, E = never>(
    onPage?: ((page: Page<T, Meta>) => R | PromiseLike<R>) | null,
    onError?: ((error: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.first ??= this.page(this.query);
    return this.first.then(onPage, onError);
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return this.iterate(ITERATED_PER_PAGE);
  }

  /**
   * Reads as many pages as needed.
   * @param options `limit` is the most items to read: a list may be longer than what fits in memory
   * @throws RangeError when `limit` is not a positive integer
   */
  async autoPagingToArray({ limit }: { limit: number }): Promise<T[]> {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError('limit must be a positive integer');
    const items: T[] = [];
    for await (const item of this.iterate(Math.min(limit, ITERATED_PER_PAGE))) {
      if (items.push(item) === limit) break;
    }
    return items;
  }

  private async *iterate(perPage: number): AsyncGenerator<T, void, undefined> {
    const { per_page = perPage, sort = this.traits.iteratedSort } = this.query;
    const seen = new RecentIds();
    let page = await this.page({ ...this.query, per_page, sort });
    for (;;) {
      for (const item of page.data) {
        const { id } = item as { id?: string };
        // Templates have no id.
        if (id === undefined || seen.add(id)) yield item;
      }
      if (!page.hasNextPage()) return;
      page = await page.nextPage();
    }
  }

  private async page(query: ListQuery): Promise<Page<T, Meta>> {
    const { data, meta, response } = await this.read(query);
    const end_date = this.traits.isDated ? earlierEnd(query.end_date, meta.timestamp) : query.end_date;
    return new Page(data, meta, response, (page) => this.page({ ...query, end_date, page }));
  }
}

/** The caller's end, but not after the time of the answer. */
function earlierEnd(end: string | undefined, answeredAt: string): string {
  const still = Date.parse(answeredAt) + CLOCK_TOLERANCE_MS;
  if (end === undefined) return new Date(still).toISOString();
  // A bare date includes its whole day.
  const last = Date.parse(end) + (end.includes('T') ? 0 : DAY_MS);
  return last > still ? new Date(still).toISOString() : end;
}

/** Forgets old ids, so that a program can read a list of millions. */
class RecentIds {
  private readonly ids = new Set<string>();

  /** @returns whether the id is new */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > REMEMBERED_IDS) this.ids.delete(this.ids.values().next().value!);
    return true;
  }
}
