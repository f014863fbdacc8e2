import { createHmac } from 'node:crypto';

/** `X-Service-Signature`: HMAC-SHA256 of the exact body, keyed with the secret string, lower-case hex. */
export function signWebhookBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;
}

/**
 * One signature of the `webhook-signature` header of Standard Webhooks (https://www.standardwebhooks.com):
 * HMAC-SHA256 over `id.timestamp.body`. A `whsec_` secret is base64 of the key; any other is its own UTF-8 bytes.
 * @param timestamp Unix seconds
 */
export function signStandardWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
