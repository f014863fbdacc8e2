import type { RecordedRequest } from './http-fake';

/**
 * A call's parameters. The Bot API takes them from the query, from form fields or from JSON, and takes a number or an
 * object written as a string as well: https://core.telegram.org/bots/api#making-requests
 */
export class TelegramParams {
  constructor(readonly raw: Record<string, unknown>) {}

  static of(request: Pick<RecordedRequest, 'query' | 'body'>): TelegramParams {
    return new TelegramParams({ ...Object.fromEntries(request.query), ...request.body });
  }

  text(name: string): string {
    const value = this.raw[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  }

  /** `fallback` if absent or not an integer; out of range is clamped, as the Bot API does. */
  integer(name: string, fallback: number, min = -Infinity, max = Infinity): number {
    const value = Number(this.raw[name] ?? NaN);
    return Number.isInteger(value) ? Math.min(Math.max(value, min), max) : fallback;
  }

  flag(name: string): boolean {
    return [true, 'true', 'True', 1, '1', 'yes'].includes(this.raw[name] as never);
  }

  /** An object or an array, also if written as text; undefined if it is neither. */
  json(name: string): unknown {
    const value = this.raw[name];
    if (typeof value !== 'string') return value ?? undefined;
    try {
      return JSON.parse(value);
    } catch {
      return undefined;
    }
  }
}
