import type { IncomingHttpHeaders } from 'node:http';
import { clampPause } from './pause';

/**
 * How long `Retry-After` asks to wait, in milliseconds, from a second to a day; it may be seconds or a date
 * (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). Undefined when it is missing, no such thing, or asks for nothing.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  // Undici makes a list of a repeated header.
  const value = [headers['retry-after'] ?? []].flat()[0]?.trim();
  if (!value) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return ms > 0 ? clampPause(ms) : undefined;
}
