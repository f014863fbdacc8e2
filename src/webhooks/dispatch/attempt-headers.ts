import { signStandardWebhook, signWebhookBody, toPublicId, type EventType } from '#contracts';
import { VERSION } from '../../core/version';

const USER_AGENT = `Messaging-Gateway-Webhooks/${VERSION}`;

/** The attempt that the headers belong to. */
export interface AttemptIdentity {
  eventId: string;
  eventType: EventType;
  deliveryId: string;
  /** Unix milliseconds. */
  now: number;
}

interface Signed extends AttemptIdentity {
  /** The stored text, which is signed and sent byte for byte. */
  body: string;
  secret: string;
  /** The secret before the last change, while receivers may still know only that one. */
  previousSecret: string | undefined;
}

interface Signatures {
  own: string;
  /** Under the secret before the last change. */
  previous: string | undefined;
  standard: readonly string[];
}

/** Stands for a signature where headers are shown: with the body, a signature could be sent again. */
const MASK = '********';

/** The headers of one attempt: the service's own, and the trio of Standard Webhooks. */
export function attemptHeaders({ body, secret, previousSecret, ...attempt }: Signed): Record<string, string> {
  const id = toPublicId('event', attempt.eventId);
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return headersWith(attempt, {
    own: signWebhookBody(secret, body),
    previous: previousSecret && signWebhookBody(previousSecret, body),
    standard: secrets.map((each) => signStandardWebhook(each, id, Math.floor(attempt.now / 1_000), body)),
  });
}

/** The same headers with masked signatures, to be shown. @param isSignedTwice whether the previous secret was still in use */
export function maskedHeaders(attempt: AttemptIdentity, isSignedTwice: boolean): Record<string, string> {
  const standard = `v1,${MASK}`;
  return headersWith(attempt, {
    own: `sha256=${MASK}`,
    previous: isSignedTwice ? `sha256=${MASK}` : undefined,
    standard: isSignedTwice ? [standard, standard] : [standard],
  });
}

function headersWith(attempt: AttemptIdentity, { own, previous, standard }: Signatures): Record<string, string> {
  const seconds = String(Math.floor(attempt.now / 1_000));
  return {
    'content-type': 'application/json; charset=utf-8',
    accept: '*/*',
    // The gateway does not decompress answers.
    'accept-encoding': 'identity',
    'user-agent': USER_AGENT,
    'x-service-signature': own,
    ...(previous !== undefined && { 'x-service-signature-previous': previous }),
    'x-service-event': attempt.eventType,
    'x-service-delivery': toPublicId('delivery', attempt.deliveryId),
    'x-service-timestamp': seconds,
    'webhook-id': toPublicId('event', attempt.eventId),
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
}
