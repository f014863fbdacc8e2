import { lazily } from './lazily';

const whole = lazily(() => new Intl.NumberFormat());
const short = lazily(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }));
const dollars = lazily(
  () => new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', minimumFractionDigits: 2 }),
);
const cents = lazily(
  () => new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 }),
);
const bytesUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

const SHORTENED_FROM = 100_000;

export function count(value: number): string {
  return whole().format(value);
}

/** "1 message", "1,200 messages". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`;
}

/** "1.2M" for large values. */
export function compactCount(value: number): string {
  return Math.abs(value) >= SHORTENED_FROM ? short().format(value) : whole().format(value);
}

/** Amounts below a cent have up to six decimals. */
export function usd(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? cents().format(value) : dollars().format(value);
}

export function milliseconds(value: number): string {
  return value < 1_000 ? `${whole().format(Math.round(value))} ms` : `${(value / 1_000).toFixed(1)} s`;
}

export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (rest >= 1_000 && unit < bytesUnits.length - 1) {
    rest /= 1_000;
    unit += 1;
  }
  return `${rest.toFixed(unit === 0 ? 0 : 1)} ${bytesUnits[unit]}`;
}
