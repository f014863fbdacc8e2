import type { RecordedRequest } from './http-fake';

/**
 * A call's parameters. The Bot API reads them from the query, form fields or JSON, and also accepts numbers and objects
 * written as strings: https://core.telegram.org/bots/api#making-requests
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

  /** `fallback` if absent or not an integer. Clamped to the range, as the Bot API does. */
  integer(name: string, fallback: number, min = -Infinity, max = Infinity): number {
    const value = Number(this.raw[name] ?? NaN);
    return Number.isInteger(value) ? Math.min(Math.max(value, min), max) : fallback;
  }

  flag(name: string): boolean {
    return [true, 'true', 'True', 1, '1', 'yes'].includes(this.raw[name] as never);
  }

  /** A JSON value, or the value of a string that holds JSON; undefined if absent or not JSON. */
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
