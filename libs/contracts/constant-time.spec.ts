import { isEqualInConstantTime } from './constant-time';

describe(isEqualInConstantTime.name, () => {
  it.each([
    ['secret', 'secret', true],
    ['secret', 'secreT', false],
    ['secre', 'secret', false],
    ['', 'secret', false],
    ['\u00e4', 'a\u0308', false],
  ])('compares %j with %j', (given, expected, isEqual) => {
    expect(isEqualInConstantTime(given, expected)).toBe(isEqual);
  });
});
