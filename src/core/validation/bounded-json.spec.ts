import { boundedJson, MAX_DATA_BYTES } from './bounded-json';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe(boundedJson.name, () => {
  it('keeps a value that fits', () => {
    const order = { order: { catalog_id: '77', items: [{ product_id: 'SKU-9', quantity: 2 }], total: null } };
    expect(boundedJson(order)).toEqual(order);
  });

  it('cuts the longest list until the value fits', () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({ product_id: `SKU-${index}` }));
    const cut = boundedJson({ order: { catalog_id: '77', items, total: null } })!;
    expect(sizeOf(cut)).toBeLessThanOrEqual(MAX_DATA_BYTES);
    expect(cut.order.items).toEqual(items.slice(0, cut.order.items.length));
    expect(cut.order.items.length).toBeGreaterThan(100);
    expect(cut.order.catalog_id).toBe('77');
  });

  it('cuts the longest text where there is no list, between characters', () => {
    const { text } = boundedJson({ text: '🙂'.repeat(30_000) })!;
    expect(text.isWellFormed()).toBe(true);
    expect(sizeOf({ text })).toBeLessThanOrEqual(MAX_DATA_BYTES);
  });

  it('gives up a value of many fields', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `field ${index}`);
    expect(boundedJson({ fields: Object.fromEntries(names.map((name) => [name, [1, 2, 3]])) })).toBeUndefined();
  });

  it('removes text that PostgreSQL cannot store, and deep values', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(boundedJson({ 'a\u0000': 'b\ud83d', deep: null, more: 1 })).toEqual({ a: 'b\ufffd', deep: null, more: 1 });
    expect(sizeOf(boundedJson({ deep }))).toBeLessThan(100);
  });
});
