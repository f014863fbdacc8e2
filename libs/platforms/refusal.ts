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

/** Words of others that a sentence of ours goes on after: some end with a full stop. */
export function withoutStop(words: string): string {
  return words.replace(/[\s.]+$/, '');
}
