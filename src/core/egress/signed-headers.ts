import { signStandardWebhook, signWebhookBody } from '#contracts';

/** One post to a URL that a user names. */
export interface SignedPost {
  /** `webhook-id` of Standard Webhooks: the receiver recognises a repeated post by it. */
  id: string;
  /** Unix milliseconds. */
  now: number;
  userAgent: string;
}

interface Signatures {
  own: string;
  /** Under the secret before the last change. */
  previous: string | undefined;
  standard: readonly string[];
}

/** Stands for a signature where headers are shown: with the body, a signature could be sent again. */
const MASK = '********';

/**
 * The headers of a post: the service's own, and the trio of Standard Webhooks.
 * @param body is sent byte for byte as it is signed
 * @param previousSecret the secret before the last change, while receivers may still know only that one
 */
export function signedHeaders(
  post: SignedPost,
  { body, secret, previousSecret }: { body: string; secret: string; previousSecret: string | undefined },
): Record<string, string> {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return headersWith(post, {
    own: signWebhookBody(secret, body),
    previous: previousSecret && signWebhookBody(previousSecret, body),
    standard: secrets.map((each) => signStandardWebhook(each, post.id, Math.floor(post.now / 1_000), body)),
  });
}

/** The same headers with masked signatures, to be shown. @param isSignedTwice whether the previous secret was still in use */
export function maskedHeaders(post: SignedPost, isSignedTwice: boolean): Record<string, string> {
  const standard = `v1,${MASK}`;
  return headersWith(post, {
    own: `sha256=${MASK}`,
    previous: isSignedTwice ? `sha256=${MASK}` : undefined,
    standard: isSignedTwice ? [standard, standard] : [standard],
  });
}

function headersWith({ id, now, userAgent }: SignedPost, { own, previous, standard }: Signatures) {
  const seconds = String(Math.floor(now / 1_000));
  return {
    'content-type': 'application/json; charset=utf-8',
    accept: '*/*',
    // The gateway does not decompress answers.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    'x-service-signature': own,
    ...(previous !== undefined && { 'x-service-signature-previous': previous }),
    'x-service-timestamp': seconds,
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
}
