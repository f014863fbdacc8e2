/** @param share of the values that are at most the result: 0.5 is the median @returns NaN without values */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** @returns NaN without values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle)
    ? ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
    : sorted[Math.floor(middle)]!;
}

/** The median of the rounds' percentiles, so that one stall of the machine does not spoil the result. */
export function percentileOfRounds(rounds: readonly (readonly number[])[], share: number): number {
  return median(rounds.map((values) => percentile(values, share)));
}

/** The median of each quarter of the values, in order. */
export function quarterMedians(values: readonly number[]): [number, number, number, number] {
  const length = values.length / 4;
  const of = (quarter: number) =>
    median(values.slice(Math.round(quarter * length), Math.round((quarter + 1) * length)));
  return [of(0), of(1), of(2), of(3)];
}
