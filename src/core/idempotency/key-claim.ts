/**
 * An Idempotency-Key that is claimed (`claimKey`) by the statement that stores the result: both are stored, or neither. The
 * row of the result keeps the answer.
 */
export class KeyClaim {
  /** Whether the statement has stored the result and the claim. */
  isHeld = false;
  /**
   * Whether the row of the result keeps the answer for as long as the key is remembered. Otherwise the row of the key keeps
   * it.
   */
  isAnswerKept = false;

  /** @param resourceId the UUID for the result. @param fingerprint of the request */
  constructor(
    readonly apiKeyId: string,
    readonly key: string,
    readonly resourceId: string,
    readonly fingerprint: Buffer,
  ) {}
}

/** Another request has the key: nothing was stored. */
export class KeyTakenError extends Error {
  constructor() {
    super('another request has the Idempotency-Key');
  }
}
