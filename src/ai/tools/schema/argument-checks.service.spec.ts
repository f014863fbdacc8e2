import { ArgumentChecks } from './argument-checks.service';

const TOO_LONG = 'The arguments take too long to check.';

describe(ArgumentChecks, () => {
  const sut = new ArgumentChecks();

  it('does not interrupt the check of a plain schema, however slow the machine is', () => {
    const items = { type: 'string', minLength: 1, maxLength: 5 };
    const schema = { type: 'object', properties: { words: { type: 'array', items } } };
    const words = Array.from({ length: 2_000_000 }, () => 'word');
    const startedAt = performance.now();
    expect(sut.argumentFault(schema, { words })).toBeUndefined();
    // Longer than the check of a schema with references may take.
    expect(performance.now() - startedAt).toBeGreaterThan(50);
  });

  it('interrupts a check that takes exponential time', () => {
    const child = { properties: { child: { $ref: '#/$defs/node' } } };
    // Both alternatives look at the whole tree below, at each level.
    const node = { anyOf: ['a', 'b'].map((name) => ({ allOf: [child, { required: [name] }] })) };
    const schema = { type: 'object', properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } };
    let tree = {};
    for (let depth = 0; depth < 40; depth += 1) tree = { child: tree };
    const startedAt = performance.now();
    expect(sut.argumentFault(schema, { tree })).toBe(TOO_LONG);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(sut.argumentFault(schema, { tree: { b: 1 } })).toBeUndefined();
  });

  it('interrupts a comparison of each item with each', () => {
    const schema = { type: 'object', properties: { items: { type: 'array', uniqueItems: true } } };
    const items = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [1, 2, 3] }));
    expect(sut.argumentFault(schema, { items })).toBe(TOO_LONG);
    expect(sut.argumentFault(schema, { items: [1, 1] })).toContain('items');
  });
});
