import { bucketStarts, periodStart, type Grouping, type Period } from './timeline';

/** A Wednesday. */
const NOW = Date.parse('2026-03-04T10:59:59.999Z');
const starts = (period: Period, grouping: Grouping, now: number) =>
  bucketStarts(periodStart(period, now), grouping, now).map((date) => date.toISOString());

describe(periodStart, () => {
  it('is 23 hours before this hour for 1d, and a UTC midnight for the longer periods', () => {
    const startOf = (period: Period) => new Date(periodStart(period, NOW)).toISOString();
    expect(startOf('1d')).toBe('2026-03-03T11:00:00.000Z');
    expect(startOf('7d')).toBe('2026-02-26T00:00:00.000Z');
    expect(startOf('30d')).toBe('2026-02-03T00:00:00.000Z');
  });
});

describe(bucketStarts, () => {
  it('returns the days up to today', () => {
    const days = starts('7d', 'day', NOW);
    expect(days).toHaveLength(7);
    expect(days[0]).toBe('2026-02-26T00:00:00.000Z');
    expect(days[6]).toBe('2026-03-04T00:00:00.000Z');
    expect(starts('90d', 'day', NOW)).toHaveLength(90);
    expect(starts('1d', 'day', NOW)).toEqual(['2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z']);
  });

  it('returns the hours of the period, up to this hour', () => {
    const hours = starts('1d', 'hour', NOW);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toBe('2026-03-03T11:00:00.000Z');
    expect(hours[23]).toBe('2026-03-04T10:00:00.000Z');
    expect(starts('90d', 'hour', NOW)).toHaveLength(89 * 24 + 11);
  });

  it('returns the ISO weeks that overlap the period', () => {
    expect(starts('1d', 'week', NOW)).toEqual(['2026-03-02T00:00:00.000Z']);
    expect(starts('7d', 'week', NOW)).toEqual(['2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z']);
    expect(starts('30d', 'week', NOW)).toHaveLength(5);
  });

  it('begins a week on Monday, also at the turn of the year', () => {
    const sunday = Date.parse('2027-01-03T23:59:59Z');
    expect(starts('1d', 'week', sunday)).toEqual(['2026-12-28T00:00:00.000Z']);
    expect(starts('1d', 'week', sunday + 1_000)).toEqual(['2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z']);
  });
});
