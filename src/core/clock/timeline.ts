/** Number of days in each period. */
export const PERIODS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof PERIODS;

export const GROUPINGS = ['hour', 'day', 'week'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const WIDTH_MS: Readonly<Record<Grouping, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
/** 1970-01-01 was a Thursday; ISO weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * The start of a period, in Unix milliseconds; its end is now. `1d` is 24 hours, the current hour included; longer periods
 * are UTC days, today included.
 * @param now Unix milliseconds
 */
export function periodStart(period: Period, now: number): number {
  const days = PERIODS[period];
  return days === 1 ? floor(now, 'hour') - 23 * HOUR_MS : floor(now, 'day') - (days - 1) * DAY_MS;
}

/**
 * The starts of a period's buckets, in UTC, oldest first, without gaps; the first bucket contains `start`, the last contains
 * `now`. A week may begin before the period: only its messages in the period count.
 * @param start of the period, Unix milliseconds
 * @param now Unix milliseconds
 */
export function bucketStarts(start: number, grouping: Grouping, now: number): Date[] {
  const width = WIDTH_MS[grouping];
  const first = floor(start, grouping);
  return Array.from(
    { length: (floor(now, grouping) - first) / width + 1 },
    (_, index) => new Date(first + index * width),
  );
}

/** The day of a moment, in UTC: `2026-01-31`. */
export function utcDay(time: Date | number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function floor(time: number, grouping: Grouping): number {
  const origin = grouping === 'week' ? FIRST_MONDAY_MS : 0;
  return Math.floor((time - origin) / WIDTH_MS[grouping]) * WIDTH_MS[grouping] + origin;
}
