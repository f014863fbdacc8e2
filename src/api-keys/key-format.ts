import { createHmac, randomInt } from 'node:crypto';
import type { Environment } from '#contracts';

const FORM = /^service_sk_(live|test)_[A-Za-z0-9]{32}$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A new key: 32 random characters, about 190 bits. */
export function generateKey(environment: Environment): string {
  const random = Array.from({ length: 32 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `service_sk_${environment}_${random}`;
}

export function isKey(text: string): boolean {
  return FORM.test(text);
}

export function environmentOfKey(key: string): Environment {
  return key.startsWith('service_sk_test_') ? 'test' : 'live';
}

/** `service_sk_live_…ab12`: what may be shown and logged. */
export function maskKey(environment: Environment, lastFour: string): string {
  return `service_sk_${environment}_…${lastFour}`;
}

/** What a key is stored and looked up by. */
export function digestKey(pepper: Buffer, key: string): Buffer {
  return createHmac('sha256', pepper).update(key).digest();
}
