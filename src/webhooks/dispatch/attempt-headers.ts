import { toPublicId, type EventType } from '#contracts';
import { maskedHeaders, signedHeaders, type SignedPost } from '../../core/egress/signed-headers';
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

/** The headers of one attempt. */
export function attemptHeaders({ body, secret, previousSecret, ...attempt }: Signed): Record<string, string> {
  return { ...signedHeaders(postOf(attempt), { body, secret, previousSecret }), ...ownHeaders(attempt) };
}

/** The same headers with masked signatures, to be shown. @param isSignedTwice whether the previous secret was still in use */
export function maskedAttemptHeaders(attempt: AttemptIdentity, isSignedTwice: boolean): Record<string, string> {
  return { ...maskedHeaders(postOf(attempt), isSignedTwice), ...ownHeaders(attempt) };
}

function postOf({ eventId, now }: AttemptIdentity): SignedPost {
  return { id: toPublicId('event', eventId), now, userAgent: USER_AGENT };
}

function ownHeaders({ eventType, deliveryId }: AttemptIdentity) {
  return { 'x-service-event': eventType, 'x-service-delivery': toPublicId('delivery', deliveryId) };
}
