import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether two texts are equal. The time does not show where a guess differs from a secret, or how long the secret is. It
 * compares digests: `timingSafeEqual` needs equal lengths.
 */
export function isEqualInConstantTime(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
