/**
 * A window is divided into buckets. A request counts in its bucket, and stays counted until the bucket's newest request
 * leaves the window. This bounds memory, and the limit is never exceeded; but some clients wait up to one bucket longer than
 * necessary, though never longer than a window.
 */
export interface Buckets {
  readonly windowMs: number;
  /** Whole milliseconds. */
  readonly widthMs: number;
}

const cache = new Map<number, Buckets>();

/** Up to a minute: 60 buckets; up to an hour: one per second; beyond: 3600. */
export function bucketsOf(seconds: number): Buckets {
  const known = cache.get(seconds);
  if (known) return known;
  if (!Number.isInteger(seconds) || seconds < 1)
    throw new RangeError(`A window of ${seconds} seconds cannot be counted`);
  const windowMs = seconds * 1_000;
  const widthMs = Math.floor(Math.min(windowMs / 60, Math.max(1_000, windowMs / 3_600)));
  const buckets = { windowMs, widthMs };
  cache.set(seconds, buckets);
  return buckets;
}
