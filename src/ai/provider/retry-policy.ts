import type { AiProviderError } from './ai-provider.error';

/** All times in milliseconds. */
export interface RetryPolicy {
  /** Per model, the first one included. */
  maxAttempts: number;
  /** The whole call, every model, attempt and wait. */
  callBudgetMs: number;
  attemptTimeoutMs: number;
  /** With less time left than this, no attempt is worth its money. */
  minAttemptMs: number;
  /** Before the second attempt; doubles from there. */
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * Clients are promised an answer or a failure within 90 s; 5 s are left for what happens around the call. The waits of
 * eight attempts add up to 21 s at most, so that two fallback models still get their eight.
 */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 8,
  callBudgetMs: 85_000,
  attemptTimeoutMs: 60_000,
  minAttemptMs: 1_000,
  baseDelayMs: 400,
  maxDelayMs: 5_000,
};

/**
 * Half of the exponential backoff is fixed, half random: instances that failed together must not come back together.
 * A `retry-after` is the least that is waited.
 * @param attempt the one that failed, from 1
 * @param random 0 to 1
 */
export function delayAfter(error: AiProviderError, attempt: number, policy: RetryPolicy, random: number): number {
  const backoff = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs);
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  const jittered = (backoff / 2) * (1 + random);
  return asked > jittered ? asked + random * policy.baseDelayMs : jittered;
}

/** What the call did after an attempt. */
export type NextStep = { step: 'answered' | 'fallback' | 'give_up' } | { step: 'retry'; delayMs: number };

export interface AttemptState {
  attempt: number;
  /** Something of the answer has reached the caller: another attempt would say it twice. */
  passedOn: boolean;
  /** Milliseconds left of this model's share of the budget. */
  leftMs: number;
  isLastModel: boolean;
}

export function nextStep(error: AiProviderError, state: AttemptState, policy: RetryPolicy, random: number): NextStep {
  if (!error.retryable || state.passedOn) return { step: 'give_up' };
  const delayMs = delayAfter(error, state.attempt, policy, random);
  if (state.attempt < policy.maxAttempts && delayMs + policy.minAttemptMs <= state.leftMs)
    return { step: 'retry', delayMs };
  return { step: state.isLastModel ? 'give_up' : 'fallback' };
}
