import { ArgumentChecks } from './argument-checks.service';

const TOO_LONG = 'The arguments take too long to check.';

describe(ArgumentChecks, () => {
  const sut = new ArgumentChecks();

  it('does not interrupt the check of a plain schema, however slow the machine is', () => {
    const schema = { type: 'object', properties: { word: { type: 'string' } } };
    // Longer than the check of a schema with references may take.
    const slow = {
      get word() {
        const startedAt = performance.now();
        while (performance.now() - startedAt < 100);
        return 'word';
      },
    };
    expect(sut.argumentFault(schema, slow)).toBeUndefined();
    const withReference = {
      ...schema,
      properties: { word: { $ref: '#/$defs/word' } },
      $defs: { word: { type: 'string' } },
    };
    expect(sut.argumentFault(withReference, slow)).toBe(TOO_LONG);
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

  it('interrupts a comparison of each item with a long enumeration', () => {
    const items = { enum: Array.from({ length: 3_000 }, (_, index) => index) };
    const schema = { type: 'object', properties: { items: { type: 'array', items } } };
    expect(sut.argumentFault(schema, { items: Array.from({ length: 32_000 }, () => 2_999) })).toBe(TOO_LONG);
    expect(sut.argumentFault(schema, { items: Array.from({ length: 200 }, () => 2_999) })).toBeUndefined();
  });

  it('interrupts a comparison of each item with each', () => {
    const schema = { type: 'object', properties: { items: { type: 'array', uniqueItems: true } } };
    const items = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [1, 2, 3] }));
    expect(sut.argumentFault(schema, { items })).toBe(TOO_LONG);
    expect(sut.argumentFault(schema, { items: [1, 1] })).toContain('items');
  });
});
