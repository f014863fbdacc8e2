/** Money is counted in whole billionths of a US dollar: sums of fractions of a dollar would drift. */
const NANOS = 1_000_000_000;

/** No sum of a period comes near what PostgreSQL's bigint holds, whatever a provider reports. */
const MOST = 1_000_000 * NANOS;

/** A cost in billionths of a dollar, rounded up. */
export function nanosOf(usd: number): number {
  // A product that is whole but for the error of its last digit is whole.
  return Math.min(Math.ceil(usd * NANOS - 1e-4), MOST);
}

/** A ceiling, rounded down. */
export function ceilingOf(usd: number | null): number | null {
  return usd === null ? null : Math.floor(usd * NANOS + 1e-4);
}

export function usdOf(nanos: number): number {
  return nanos / NANOS;
}
