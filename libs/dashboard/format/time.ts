import { lazily } from './lazily';

const FORMS = {
  full: lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })),
  short: lazily(
    () =>
      new Intl.DateTimeFormat(undefined, {
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        second: '2-digit',
      }),
  ),
  clock: lazily(() => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })),
  seconds: lazily(() => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })),
  day: lazily(
    () => new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
  ),
} as const;
const relative = lazily(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' }));

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const DAYS_IN_WORDS = 14;

export function inViewersZone(iso: string, form: keyof typeof FORMS): string {
  return FORMS[form]().format(new Date(iso));
}

/** "3 minutes ago"; older than two weeks: the date. */
export function agoInWords(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  if (Math.abs(seconds) > DAYS_IN_WORDS * 86_400) return inViewersZone(iso, 'full');
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative().format(Math.trunc(seconds / length), unit);
  }
  return seconds > 1 ? relative().format(Math.round(seconds), 'second') : 'just now';
}

/** "3 d 4 h". */
export function durationInWords(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

export function durationSince(iso: string, now: number): string {
  return durationInWords(Math.max(0, now - Date.parse(iso)) / 1_000);
}

const FIELD_LENGTHS = { minutes: 'YYYY-MM-DDTHH:MM'.length, seconds: 'YYYY-MM-DDTHH:MM:SS'.length } as const;

/** The value of a `datetime-local` field. Cut, not rounded, so it is never later than `iso`. */
export function localTime(iso: string, precision: keyof typeof FIELD_LENGTHS = 'minutes'): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, FIELD_LENGTHS[precision]);
}
