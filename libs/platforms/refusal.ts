import { sendFailure, type SendFailureCode } from '#contracts';
import type { PartRefused } from './platform.port';

/**
 * A refusal in the words of the catalogue.
 * @param said what the platform or the network said of it, for the operator
 */
export function refused(code: SendFailureCode, said: string, platformCode: string | null = null): PartRefused {
  const failure = sendFailure(code, platformCode);
  return { accepted: false, failure: { ...failure, message: `${failure.message} (${withoutStop(said)})` } };
}

/** Removes the full stop from a text of a platform, so that our sentence can continue after it. */
export function withoutStop(words: string): string {
  return words.replace(/(?<![\s.])[\s.]+$/, '');
}
