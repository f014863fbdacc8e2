import type { FastifyRequest } from 'fastify';
import type { CredentialsCheck } from './credentials-check.port';
import { ApiError, RateLimitError } from './lifecycle/api-error';

/** An answer that goes on for so long that its key may end meanwhile. */
export interface OpenAnswer {
  readonly request: FastifyRequest;
  /** @param code of the error with which the key is refused by now */
  end(code: string): void;
}

/** Ends the answers whose key is no longer valid. */
export async function endRefused(credentials: CredentialsCheck, answers: Iterable<OpenAnswer>): Promise<void> {
  const answersOfKey = Map.groupBy(answers, ({ request }) => callerOf(request));
  await Promise.all([...answersOfKey.values()].map((group) => checkKey(credentials, group)));
}

/** Equal for answers to one value of a key from one address. */
function callerOf({ gateway: { credentials, clientIp, isClientIpKnown } }: FastifyRequest): string {
  return [credentials?.text, clientIp, isClientIpKnown].join(' ');
}

/** @param answers of one key and address: the first one's check counts for all */
async function checkKey(credentials: CredentialsCheck, answers: readonly OpenAnswer[]): Promise<void> {
  try {
    await credentials.check(answers[0]!.request);
  } catch (error) {
    // An unavailable database or a full queue of look-ups says nothing about the key.
    if (!(error instanceof ApiError) || error instanceof RateLimitError) return;
    for (const answer of answers) answer.end(error.code);
  }
}
