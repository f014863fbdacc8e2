import { utcDay } from '../../core/clock/timeline';

export const PERIODS = ['day', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** A UTC day or month. */
export interface Span {
  period: Period;
  /** Its first day: `2026-11-01`. */
  startsOn: string;
  /** Unix milliseconds. */
  start: number;
  end: number;
}

export function spanOf(period: Period, now: number): Span {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [start, end] =
    period === 'day'
      ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
      : [Date.UTC(year, month), Date.UTC(year, month + 1)];
  return { period, startsOn: utcDay(start), start, end };
}
