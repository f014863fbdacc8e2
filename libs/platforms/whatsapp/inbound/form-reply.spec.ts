import { linesOf } from './form-reply';

/** `{n: {n: … value}}` */
const nested = (levels: number, value: unknown, name = 'n'): unknown =>
  levels === 0 ? value : { [name]: nested(levels - 1, value, name) };
const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));

describe(linesOf.name, () => {
  it('writes one line per field, without the token and empty fields', () => {
    const answers = {
      flow_token: 't',
      name: 'Ada',
      guests: 2,
      none: null,
      address: { city: 'Berlin' },
      days: ['Mo', 'Tu'],
    };
    expect(linesOf(answers)).toEqual(['name: Ada', 'guests: 2', 'address.city: Berlin', 'days.0: Mo', 'days.1: Tu']);
  });

  it('keeps eight levels', () => {
    expect(linesOf({ a: nested(7, 'kept'), b: nested(8, 'lost'), c: 'kept' })).toEqual([
      'a.n.n.n.n.n.n.n: kept',
      'c: kept',
    ]);
    expect(linesOf(nested(8, [1]))).toEqual([]);
  });

  it.each([
    ['fields', Object.fromEntries(many(250, (at) => [`f${at}`, at]))],
    ['items of a list', { chosen: many(250, (at) => at) }],
    ['fields of several levels', many(25, () => ({ a: { b: many(10, (at) => at) } }))],
  ])('keeps 200 %s', (_, answers) => {
    expect(linesOf(answers)).toHaveLength(200);
  });

  it('keeps a field after the token and 199 other fields', () => {
    const others = Object.fromEntries(many(199, (at) => [`f${at}`, at]));
    expect(linesOf({ flow_token: 't', ...others, last: 'kept' }).at(-1)).toBe('last: kept');
  });

  it.each([
    ['a long name above all fields', { ['x'.repeat(1_000_000)]: many(1_000, () => 1) }],
    [
      'a long name on each level',
      nested(
        8,
        many(1_000, () => 1),
        'x'.repeat(100_000),
      ),
    ],
    ['a million empty lists', many(1_000_000, () => [])],
    ['a million empty fields', many(1_000_000, () => null)],
    ['a hundred thousand levels', JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
  ])('reads %s quickly', (_, answers) => {
    const before = performance.now();
    const length = linesOf(answers).join('\n').length;
    expect(performance.now() - before).toBeLessThan(100);
    expect(length).toBeLessThan(1_100_000);
  });
});
