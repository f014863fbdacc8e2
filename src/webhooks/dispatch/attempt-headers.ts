import { signStandardWebhook, signWebhookBody, toPublicId, type EventType } from '#contracts';
import { VERSION } from '../../core/version';

const USER_AGENT = `Messaging-Gateway-Webhooks/${VERSION}`;

export interface Signed {
  eventId: string;
  eventType: EventType;
  deliveryId: string;
  /** The stored text: what is sent and signed, byte for byte. */
  body: string;
  secret: string;
  /** The secret before the last change, while receivers may still know only that one. */
  previousSecret: string | undefined;
  /** Unix milliseconds. */
  now: number;
}

/** The headers of one attempt: the service's own, and the trio of Standard Webhooks. */
export function attemptHeaders(attempt: Signed): Record<string, string> {
  const { eventId, eventType, deliveryId, body, secret, previousSecret, now } = attempt;
  const id = toPublicId('event', eventId);
  const seconds = Math.floor(now / 1000);
  const signatures = [signStandardWebhook(secret, id, seconds, body)];
  if (previousSecret !== undefined) signatures.push(signStandardWebhook(previousSecret, id, seconds, body));
  return {
    'content-type': 'application/json; charset=utf-8',
    accept: '*/*',
    // What comes back is read as it is, and not unpacked.
    'accept-encoding': 'identity',
    'user-agent': USER_AGENT,
    'x-service-signature': signWebhookBody(secret, body),
    ...(previousSecret !== undefined && { 'x-service-signature-previous': signWebhookBody(previousSecret, body) }),
    'x-service-event': eventType,
    'x-service-delivery': toPublicId('delivery', deliveryId),
    'x-service-timestamp': String(seconds),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
