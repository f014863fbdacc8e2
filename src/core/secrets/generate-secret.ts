import { randomBytes } from 'node:crypto';

/** A new secret in the form of Standard Webhooks: 32 random bytes. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
