import type { Statistics } from '#client';
import { compactCount, count, usd } from '../../format/number';

type Bucket = Statistics['timeline'][number];

interface Measure {
  label: string;
  of: (bucket: Bucket) => number;
  /** Formats a value. */
  format: (value: number) => string;
  /** Formats a value for the axis, where there is little room. */
  short: (value: number) => string;
  /** The axis reaches at least to this value. */
  least: number;
}

/** Measures that a timeline can show. */
export const MEASURES = {
  messages: { label: 'Messages', of: ({ messages }) => messages, format: count, short: compactCount, least: 4 },
  tokens: { label: 'Tokens', of: ({ tokens }) => tokens ?? 0, format: count, short: compactCount, least: 4 },
  cost: { label: 'Cost', of: ({ cost_usd }) => cost_usd ?? 0, format: usd, short: usd, least: 0.000_1 },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;
