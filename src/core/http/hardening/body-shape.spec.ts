import * as fc from 'fast-check';
import { leastCpuOf, LONGEST_MS } from '../../../../test/support/least-cpu';
import { shapeFault } from './body-shape';

const TOO_DEEP = 'the body is nested too deeply';

/** Counts the objects, lists and scalars in a value. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + valuesOf(inner), 1);
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe(shapeFault.name, () => {
  it.each([
    ['[0]', 2],
    [' { "a" : [ ] } ', 2],
    ['{"a":"1,2,[3]"}', 2],
    [String.raw`{"a\"],[":"\\"}`, 2],
    ['[[],{},[1,{"a":null}]]', 7],
    ['{"a":{"b":[]}}', 3],
    ['\ufeff[1]', 2],
  ])('counts each object, list and scalar: %j', (json, values) => {
    expect(shapeFault(Buffer.from(json), { values, levels: 9 })).toBeUndefined();
    expect(shapeFault(Buffer.from(json), { values: values - 1, levels: 9 })).toBe(
      `the body has more than ${values - 1} values`,
    );
  });

  it('counts the same values as JSON.parse, with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\n\t\r '), (value, space) => {
        const json = Buffer.from(JSON.stringify(value, null, space));
        const [values, levels] = [valuesOf(JSON.parse(json.toString())), levelsOf(JSON.parse(json.toString()))];
        expect(shapeFault(json, { values, levels })).toBeUndefined();
        if (values === 1) return;
        expect(shapeFault(json, { values: values - 1, levels })).toBe(`the body has more than ${values - 1} values`);
        expect(shapeFault(json, { values, levels: levels - 1 })).toBe(TOO_DEEP);
      }),
    );
  });

  it('accepts 2,000 values and 32 levels', () => {
    const list = (values: number) =>
      Buffer.from(
        `[${Array(values - 1)
          .fill('0')
          .join()}]`,
      );
    expect(shapeFault(list(2_000))).toBeUndefined();
    expect(shapeFault(list(2_001))).toBe('the body has more than 2000 values');
    const lists = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect(shapeFault(lists(32))).toBeUndefined();
    expect(shapeFault(lists(33))).toBe(TOO_DEEP);
  });

  it('ignores text that is not JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'x') }), (text) => {
        expect(shapeFault(Buffer.from(text))).toBeUndefined();
      }),
    );
  });
});

describe('a hostile body of 3 MiB', () => {
  it.each([' ', '"', '\\', '"\\', '[]', '[', ',', '{"a":', '1', '\0'])(
    'of %j takes less than 50 ms of CPU',
    async (unit) => {
      const body = Buffer.from(unit.repeat((3 * 1_048_576) / unit.length));
      expect(await leastCpuOf(() => shapeFault(body))).toBeLessThan(LONGEST_MS);
    },
  );
});
