import type { IncomingHttpHeaders } from 'node:http';

/** No wait is longer, whatever is asked for: a timer of more than 2^31 ms ends at once. */
export const LONGEST_WAIT_MS = 86_400_000;

/**
 * How long `Retry-After` asks to wait, in milliseconds; it may be seconds or a date
 * (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). Undefined when it is missing, no such thing, or asks for nothing.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  // Undici makes a list of a repeated header.
  const value = [headers['retry-after'] ?? []].flat()[0]?.trim();
  if (!value) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}
