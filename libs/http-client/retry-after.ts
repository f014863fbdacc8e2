import type { IncomingHttpHeaders } from 'node:http';
import { clampPause } from './pause';

/**
 * How long `Retry-After` asks to wait, in milliseconds, from a second to a day; it may be seconds or a date
 * (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). Undefined when it is missing, malformed, or asks for no pause.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  // undici gives a repeated header as a list.
  const value = [headers['retry-after'] ?? []].flat()[0]?.trim();
  if (!value) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return ms > 0 ? clampPause(ms) : undefined;
}
