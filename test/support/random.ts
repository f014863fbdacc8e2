/**
 * A small generator: the same seed gives the same numbers. https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
 * @returns numbers in [0, 1)
 */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * For test data that is the same in every run, unlike SQL's random().
 * @param text an SQL expression of type text
 * @returns an SQL expression of a number from 0 to 1, the same for the same text
 */
export function fractionOf(text: string): string {
  return `abs(hashtext(${text}) / 2147483648.0::float8)`;
}
