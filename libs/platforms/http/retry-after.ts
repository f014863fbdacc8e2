import type { IncomingHttpHeaders } from 'node:http';

/**
 * How long `Retry-After` asks to wait, in milliseconds; it may be seconds or a date
 * (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). Undefined when it is missing, no such thing, or asks for nothing.
 */
export function retryAfterOf(headers: IncomingHttpHeaders): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : undefined;
}
