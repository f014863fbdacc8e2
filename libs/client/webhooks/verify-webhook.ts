import type { WebhookEvent } from '../contracts';
import { isEqualInConstantTime, signStandardWebhook, signWebhookBody } from '../signatures';

/** Headers from Node's `request.headers`, from `fetch`, or as pairs. */
export type WebhookHeaders =
  Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [name: string, value: string]>;

export interface WebhookVerifyParams {
  /** The body byte for byte as it arrived: parsed and serialised again, it may differ. */
  payload: string | Uint8Array;
  headers: WebhookHeaders;
  /** The webhook's secret; several while you change it. */
  secret: string | readonly string[];
  /**
   * How many seconds the delivery may be old, or ahead of this clock; 300 by default. `Infinity` accepts any
   * age, and then also `X-Service-Signature` alone, which does not cover the time.
   */
  tolerance?: number;
}

export type VerificationFailure = 'no_signature' | 'no_timestamp' | 'timestamp' | 'signature' | 'payload';

/** The request is not a delivery of the gateway, or is too old or too far ahead. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly reason: VerificationFailure,
    message: string,
  ) {
    super(message);
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Returns the event of a genuine delivery. The gateway delivers at least once: the same event may come again, with the
 * same `id`.
 *
 * It checks the signature of Standard Webhooks, which covers the time. `X-Service-Signature` does not, so an attacker
 * who has seen a delivery could replay it for ever without the other headers: it counts only if `tolerance` is
 * infinite.
 * @throws WebhookVerificationError
 * @throws TypeError when the secret or the payload is malformed, for example because a variable is not set
 */
export function verifyWebhook({
  payload,
  headers,
  secret,
  tolerance = DEFAULT_TOLERANCE_SECONDS,
}: WebhookVerifyParams): WebhookEvent {
  const body = textOf(payload);
  const secrets = secretsOf(secret);
  const header = reader(headers);
  const trio = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')] as const;
  const isSigned = trio.every((value) => value !== undefined)
    ? verifyStandard(body, trio as readonly [string, string, string], secrets, tolerance)
    : verifyService(body, header, secrets, tolerance);
  if (!isSigned) throw new WebhookVerificationError('signature', 'None of the signatures matches');
  return parse(body);
}

function verifyStandard(
  body: string,
  [id, timestamp, signatures]: readonly [string, string, string],
  secrets: readonly string[],
  tolerance: number,
): boolean {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // Written with `!`, so that NaN is refused.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= tolerance)) {
    throw new WebhookVerificationError(
      'timestamp',
      `The delivery is older than ${tolerance} seconds, or from the future`,
    );
  }
  return anyEqual(
    signatures.split(' '),
    secrets.map((secret) => signStandardWebhook(secret, id, seconds, body)),
  );
}

function verifyService(
  body: string,
  header: (name: string) => string | undefined,
  secrets: readonly string[],
  tolerance: number,
): boolean {
  const signatures = [header('x-service-signature'), header('x-service-signature-previous')];
  const given = signatures.filter((signature) => signature !== undefined);
  if (given.length === 0) throw new WebhookVerificationError('no_signature', 'The request has no signature');
  if (tolerance !== Infinity) {
    const message =
      'The request has no signed timestamp: the headers webhook-id, webhook-timestamp and webhook-signature are missing';
    throw new WebhookVerificationError('no_timestamp', message);
  }
  return anyEqual(
    given,
    secrets.map((secret) => signWebhookBody(secret, body)),
  );
}

function anyEqual(given: readonly string[], expected: readonly string[]): boolean {
  return given.some((one) => expected.some((other) => isEqualInConstantTime(one, other)));
}

/**
 * Refuses empty secrets: any attacker could sign with one.
 * @internal
 */
export function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const isUsable = Array.isArray(secrets) && secrets.length > 0;
  if (!isUsable || !secrets.every((each) => typeof each === 'string' && each !== '')) {
    throw new TypeError('secret must be the secret of the webhook');
  }
  return secrets;
}

function textOf(payload: string | Uint8Array): string {
  if (typeof payload === 'string') return payload;
  if (!(payload instanceof Uint8Array)) throw new TypeError('payload must be the raw body, before parsing');
  try {
    // The signature covers a byte order mark, too.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    throw new WebhookVerificationError('payload', 'The body is not UTF-8');
  }
}

/** Reads a header by its lower-case name. */
function reader(headers: WebhookHeaders): (name: string) => string | undefined {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  const values = new Map<string, string>();
  for (const [name, value] of pairs as Iterable<[string, string | readonly string[] | undefined]>) {
    if (value !== undefined) values.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(' '));
  }
  return (name) => values.get(name);
}

function parse(body: string): WebhookEvent {
  try {
    return JSON.parse(body) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('payload', 'The body is not JSON');
  }
}
