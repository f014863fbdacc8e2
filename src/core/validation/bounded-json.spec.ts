import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import { boundedJson, MAX_DATA_BYTES } from './bounded-json';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe(boundedJson.name, () => {
  it('returns a value that fits unchanged', () => {
    const order = { order: { catalog_id: '77', items: [{ product_id: 'SKU-9', quantity: 2 }], total: null } };
    expect(boundedJson(order)).toEqual(order);
  });

  it('shortens the longest list until the value fits', () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ product_id: `SKU-${index}` }));
    const cut = boundedJson({ order: { catalog_id: '77', items, total: null } })!;
    expect(sizeOf(cut)).toBeLessThanOrEqual(MAX_DATA_BYTES);
    expect(cut.order.items).toEqual(items.slice(0, cut.order.items.length));
    expect(cut.order.items.length).toBeGreaterThan(100);
    expect(cut.order.catalog_id).toBe('77');
  });

  it('shortens the longest text if there is no list, between characters', () => {
    const { text } = boundedJson({ text: '🙂'.repeat(30_000) })!;
    expect(text.isWellFormed()).toBe(true);
    expect(sizeOf({ text })).toBeLessThanOrEqual(MAX_DATA_BYTES);
  });

  it('drops a value with too many fields', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `field ${index}`);
    expect(boundedJson({ fields: Object.fromEntries(names.map((name) => [name, [1, 2, 3]])) })).toBeUndefined();
  });

  it('removes text that PostgreSQL cannot store, and deeply nested values', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(boundedJson({ 'a\u0000': 'b\ud83d', deep: null, more: 1 })).toEqual({ a: 'b\ufffd', deep: null, more: 1 });
    expect(sizeOf(boundedJson({ deep }))).toBeLessThan(100);
  });
});

describe('a hostile value', () => {
  const many = <T>(count: number, item: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));

  it.each<[string, object]>([
    ['of a million numbers', { list: many(1_000_000, (at) => at) }],
    ['of long texts', { texts: Object.fromEntries(many(60, (at) => [`t${at}`, 'x'.repeat(16_384)])) }],
    ['of lists of equal length', { lists: many(60, () => many(60, () => 'x'.repeat(300))) }],
    ['of long names', Object.fromEntries(many(60, (at) => [`${at}${'n'.repeat(16_384)}`, at]))],
    ['of characters with six bytes in JSON', { text: '\u0001'.repeat(1_000_000) }],
  ])('%s takes less than 50 ms of CPU', async (_, value) => {
    expect(await leastCpuOf(() => boundedJson(value))).toBeLessThan(LONGEST_MS);
  });
});
