import type { SecretBox } from './secret-box.service';

/** How long the previous secret signs beside the new one, in hours. */
const OVERLAP_HOURS = 24;

/** The secrets of a row that signs what it posts, as they are stored: sealed. */
export interface SigningSecrets {
  id: string;
  secret: Buffer;
  /** The secret before the last change; it signs beside the new one until `previousSecretUntil`. */
  previousSecret: Buffer | null;
  previousSecretUntil: Date | null;
}

/**
 * The columns that change with a new secret; undefined if it is the current one: then the previous secret keeps signing beside it.
 * After a change of SECRETS_KEY, the current secret cannot be read and no longer signs.
 */
export function rolledSecret(
  box: SecretBox,
  { id, secret: current }: Pick<SigningSecrets, 'id' | 'secret'>,
  secret: string,
) {
  const former = box.openIfReadable(current, id);
  if (former === secret) return undefined;
  return {
    secret: box.seal(secret, id),
    previousSecret: former === undefined ? null : current,
    previousSecretUntil: former === undefined ? null : () => `now() + interval '${OVERLAP_HOURS} hours'`,
  };
}

/** The secrets that sign now, in clear text. */
export function currentSecrets(
  box: SecretBox,
  { id, secret, previousSecret, previousSecretUntil }: SigningSecrets,
  now: number,
): { secret: string; previousSecret: string | undefined } {
  const isBoth = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil.getTime() > now;
  return { secret: box.open(secret, id), previousSecret: isBoth ? box.open(previousSecret, id) : undefined };
}
