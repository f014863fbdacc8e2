import { pricesOf, rowsOf } from './price-rows';

describe(pricesOf, () => {
  it('is the inverse of the rows', () => {
    const prices = { 'openai/tiny': { input: 0, output: 0 }, other: { input: 1 } };
    expect(pricesOf(rowsOf(prices))).toEqual(prices);
  });

  it.each([
    ['an untouched row', { name: ' ', prices: {} }, {}],
    ['an emptied price', { name: 'a', prices: { input: '', output: 2 } }, { a: { output: 2 } }],
    ['a row without a name, which the gateway refuses', { name: '', prices: { input: 1 } }, { '': { input: 1 } }],
  ])('of %s', (_title, row, expected) => {
    expect(pricesOf([row])).toEqual(expected);
  });
});
