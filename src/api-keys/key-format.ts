import { createHmac, randomInt } from 'node:crypto';
import type { Environment } from '#contracts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A new key: 32 random characters, about 190 bits. */
export function generateKey(environment: Environment): string {
  const random = Array.from({ length: 32 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `service_sk_${environment}_${random}`;
}

/** The digest by which a key is stored and looked up. */
export function digestKey(pepper: Buffer, key: string): Buffer {
  return createHmac('sha256', pepper).update(key).digest();
}
