const BYTES = 16;
/** RFC 9562, 5.4: the bits that say which kind of UUID it is. */
const VERSION = [6, 0x0f, 0x40] as const;
const VARIANT = [8, 0x3f, 0x80] as const;

/** A random UUID. `crypto.randomUUID` is missing in a page that a browser has loaded over plain HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  for (const [index, kept, set] of [VERSION, VARIANT]) bytes[index] = (bytes[index]! & kept) | set;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
