import type { WebhookEvent } from '../contracts';
import { signStandardWebhook, signWebhookBody } from '../signatures';
import { secretsOf } from './verify-webhook';

export interface TestWebhookParams {
  /** A text is signed as it is: with it, you can test how your receiver answers a malformed body. */
  payload: WebhookEvent | string;
  /** The secret that your receiver knows; the new one and the previous one for a delivery during a change. */
  secret: string | readonly string[];
  /** When the gateway signed it; now by default. */
  timestamp?: Date;
}

/** A delivery as the gateway makes it: the body and its headers, with names in lower case. */
export interface SignedTestWebhook {
  payload: string;
  headers: Record<string, string>;
}

/**
 * Signs an event as the gateway does, so that you can test your receiver without a gateway.
 * @throws TypeError when the secret is missing or empty
 */
export function signTestWebhook({ payload, secret, timestamp = new Date() }: TestWebhookParams): SignedTestWebhook {
  const isText = typeof payload === 'string';
  const body = isText ? payload : JSON.stringify(payload);
  const secrets = secretsOf(secret);
  const [own, previous] = secrets.map((each) => signWebhookBody(each, body));
  const id = isText ? 'evt_test' : payload.id;
  const seconds = Math.floor(timestamp.getTime() / 1_000);
  return {
    payload: body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-service-signature': own!,
      ...(previous !== undefined && { 'x-service-signature-previous': previous }),
      ...(!isText && { 'x-service-event': payload.type }),
      'x-service-timestamp': String(seconds),
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': secrets.map((each) => signStandardWebhook(each, id, seconds, body)).join(' '),
    },
  };
}
