/** Number of days in each period. */
export const PERIODS = { '1d': 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof PERIODS;

export const GROUPINGS = ['hour', 'day', 'week'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WIDTH_MS: Readonly<Record<Grouping, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
/** 1970-01-01 was a Thursday; ISO weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * The starts of a period's buckets, in UTC, oldest first, without gaps; the last one is the current bucket. `hour` gives
 * 24 of each day, `day` one of each day, `week` every ISO week that has a day of the period.
 * @param now Unix milliseconds
 */
export function bucketStarts(period: Period, grouping: Grouping, now: number): Date[] {
  const width = WIDTH_MS[grouping];
  const last = floor(now, grouping);
  const days = PERIODS[period];
  const first = grouping === 'hour' ? last - (days * 24 - 1) * HOUR_MS : floor(now - (days - 1) * DAY_MS, grouping);
  return Array.from({ length: (last - first) / width + 1 }, (_, index) => new Date(first + index * width));
}

function floor(time: number, grouping: Grouping): number {
  const origin = grouping === 'week' ? FIRST_MONDAY_MS : 0;
  return Math.floor((time - origin) / WIDTH_MS[grouping]) * WIDTH_MS[grouping] + origin;
}
