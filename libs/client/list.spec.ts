import { List } from './list';
import { responseOf } from './response';

const answer = <T>(data: T[], page: number) => ({
  data,
  response: responseOf(new Response()),
  meta: {
    timestamp: '2026-11-25T12:00:00.000Z',
    pagination: { page, per_page: 2, total: 4, total_pages: 2 },
  },
});

/** @param asked collects the queries of the list */
const listOf = <T>(pages: readonly T[][], asked: object[] = []) =>
  new List<T>(
    (query: { page?: number }) => {
      asked.push(query);
      const { page = 1 } = query;
      return Promise.resolve(answer(pages[page - 1]!, page));
    },
    {},
    {},
  );

async function all<T>(pages: readonly T[][]): Promise<T[]> {
  const list = listOf(pages);
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

describe(List.name, () => {
  it('yields an item once, although a new item moves it to the next page', async () => {
    expect(
      await all([
        [{ id: 'c' }, { id: 'b' }],
        [{ id: 'b' }, { id: 'a' }],
      ]),
    ).toEqual([{ id: 'c' }, { id: 'b' }, { id: 'a' }]);
  });

  it('yields all items that have no id, such as templates', async () => {
    expect(await all([[{ name: 'one' }, { name: 'two' }], [{ name: 'three' }]])).toHaveLength(3);
  });

  describe('autoPagingToArray', () => {
    const PAGES = [
      [{ id: 'd' }, { id: 'c' }],
      [{ id: 'b' }, { id: 'a' }],
    ];

    it('returns all items or as many as requested, and reads no more pages than needed', async () => {
      for (const [limit, ids, reads] of [
        [9, 'dcba', 2],
        [4, 'dcba', 2],
        [3, 'dcb', 2],
        [2, 'dc', 1],
        [1, 'd', 1],
      ] as const) {
        const asked: object[] = [];
        const items = await listOf(PAGES, asked).autoPagingToArray({ limit });
        expect(items.map(({ id }) => id).join('')).toBe(ids);
        expect(asked).toHaveLength(reads);
        expect(asked[0]).toMatchObject({ per_page: limit });
      }
    });

    it('requests at most 100 items per page', async () => {
      const asked: object[] = [];
      await listOf(PAGES, asked).autoPagingToArray({ limit: 5_000 });
      expect(asked).toMatchObject([{ per_page: 100 }, { per_page: 100 }]);
    });

    it.each([0, -1, 1.5, Number.NaN, Infinity, undefined])('refuses the limit %p', async (limit) => {
      await expect(listOf(PAGES).autoPagingToArray({ limit: limit! })).rejects.toThrow(RangeError);
    });
  });
});
