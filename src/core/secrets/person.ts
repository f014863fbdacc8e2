import { createHmac } from 'node:crypto';
import type { Environment, Platform } from '#contracts';
import type { DeploymentSecrets } from './deployment-secrets';

/** Prefix of the names. */
export const PERSON = 'person:';

/**
 * Names a person in rows that outlive the person's messages, so the name contains an HMAC: without the secret the id cannot be
 * found by trying all of them.
 */
export function personOf(
  { secretsKey }: DeploymentSecrets,
  environment: Environment,
  platform: Platform,
  senderId: string,
): string {
  const text = JSON.stringify(['person', environment, platform, senderId]);
  return PERSON + createHmac('sha256', secretsKey).update(text).digest('base64url');
}
