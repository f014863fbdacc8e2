import {
  isEqualInConstantTime,
  signStandardWebhook,
  signWebhookBody,
  type EventPayload,
  type EventType,
} from './contracts';

/** An event as it is delivered: its `type` tells which `data` it has. */
export type WebhookEvent = { [T in EventType]: EventPayload<T> }[EventType];

/** Of Node's `request.headers`, of `fetch`, or as pairs. */
export type WebhookHeaders =
  Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [name: string, value: string]>;

export interface WebhookToVerify {
  /** The body byte for byte, as it came in: parsed and written again, it is another. */
  payload: string | Uint8Array;
  headers: WebhookHeaders;
  /** Of the webhook; several while you change it. */
  secret: string | readonly string[];
  /**
   * How many seconds the delivery may be old, or ahead of this clock; 300 by default. With `Infinity` its age is of no
   * importance, and `X-Service-Signature` alone, which signs no time, will do.
   */
  tolerance?: number;
}

export type VerificationFailure = 'no_signature' | 'no_timestamp' | 'timestamp' | 'signature' | 'payload';

/** The request is not a delivery of the gateway, or not one of now. Answer it with 400. */
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
 * The event that a delivery brings, if the delivery is genuine. Deliveries are made at least once: the same event may
 * come again, with the same `id`.
 *
 * Checked is the signature of Standard Webhooks, which covers the time. `X-Service-Signature` does not, so whoever has
 * seen a delivery could replay it for ever by leaving the others out: it counts only where the age does not.
 * @throws WebhookVerificationError
 * @throws TypeError when the secret or the payload cannot be one, as where a variable is not set
 */
export function verifyWebhook({
  payload,
  headers,
  secret,
  tolerance = DEFAULT_TOLERANCE_SECONDS,
}: WebhookToVerify): WebhookEvent {
  const body = textOf(payload);
  const secrets = secretsOf(secret);
  const header = reader(headers);
  const trio = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')] as const;
  const isSigned = trio.every((value) => value !== undefined)
    ? verifyStandard(body, trio as readonly [string, string, string], secrets, tolerance)
    : verifyService(body, header, secrets, tolerance);
  if (!isSigned) throw new WebhookVerificationError('signature', 'No signature of the delivery is right');
  return parse(body);
}

function verifyStandard(
  body: string,
  [id, timestamp, signatures]: readonly [string, string, string],
  secrets: readonly string[],
  tolerance: number,
): boolean {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // Written so that NaN is refused.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= tolerance)) {
    throw new WebhookVerificationError('timestamp', `The delivery is not of the last ${tolerance} seconds`);
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
  if (given.length === 0) throw new WebhookVerificationError('no_signature', 'The request carries no signature');
  if (tolerance !== Infinity) {
    const message = 'The request carries no signed time: the headers webhook-id, -timestamp and -signature are missing';
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

/** None of them empty: with that one, anybody could sign. */
function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const isUsable = Array.isArray(secrets) && secrets.length > 0;
  if (!isUsable || !secrets.every((each) => typeof each === 'string' && each !== '')) {
    throw new TypeError('secret must be the secret of the webhook');
  }
  return secrets;
}

function textOf(payload: string | Uint8Array): string {
  if (typeof payload === 'string') return payload;
  if (!(payload instanceof Uint8Array)) throw new TypeError('payload must be the raw body, not a parsed one');
  try {
    // A byte order mark is signed, too.
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
