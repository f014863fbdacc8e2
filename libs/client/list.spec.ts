import { List } from './list';

const answer = <T>(data: T[], page: number) => ({
  data,
  meta: {
    timestamp: '2026-11-25T12:00:00.000Z',
    pagination: { page, per_page: 2, total: 4, total_pages: 2 },
  },
});

async function all<T>(pages: readonly T[][]): Promise<T[]> {
  const list = new List<T>(
    ({ page = 1 }: { page?: number }) => Promise.resolve(answer(pages[page - 1]!, page)),
    {},
    {},
  );
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

describe(List.name, () => {
  it('gives no item twice that a new one has shifted to the next page', async () => {
    expect(
      await all([
        [{ id: 'c' }, { id: 'b' }],
        [{ id: 'b' }, { id: 'a' }],
      ]),
    ).toEqual([{ id: 'c' }, { id: 'b' }, { id: 'a' }]);
  });

  it('gives all items that have no id, such as templates', async () => {
    expect(await all([[{ name: 'one' }, { name: 'two' }], [{ name: 'three' }]])).toHaveLength(3);
  });
});
