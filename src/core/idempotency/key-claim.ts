/**
 * An Idempotency-Key that the statement which stores the result claims (`claimKey`): both are stored, or neither. The row of
 * the result keeps the answer.
 */
export class KeyClaim {
  /** Whether the statement has stored both. */
  isHeld = false;
  /** Whether the row of the result tells the answer for as long as the key is remembered. Otherwise the row of the key keeps it. */
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
