import { backoffMs } from '../../core/clock/backoff';
import { type AiProviderError, PROVIDER_FAULTS } from './ai-provider.error';

/** All times in milliseconds. */
export interface RetryPolicy {
  /** Per model, the first one included. */
  maxAttempts: number;
  /** The whole call, every model, attempt and wait. */
  callBudgetMs: number;
  attemptTimeoutMs: number;
  /** With less time left than this, an attempt would probably fail and still cost money. */
  minAttemptMs: number;
  /** The pause before the second attempt; it doubles with each retry. */
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * Clients are promised an answer or a failure within 90 s; 5 s are left for the work around the call. The waits of eight
 * attempts add up to 21 s at most, so that two fallback models still get their eight.
 */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 8,
  callBudgetMs: 85_000,
  // A small model on the operator's own machine may take a minute.
  attemptTimeoutMs: 70_000,
  minAttemptMs: 1_000,
  baseDelayMs: 400,
  maxDelayMs: 5_000,
};

/**
 * A `retry-after` is the shortest pause, and at least a second.
 * @param attempt the number of the failed attempt, from 1
 * @param random 0 to 1
 */
function delayAfter(error: AiProviderError, attempt: number, policy: RetryPolicy, random: number): number {
  const asked = error.retryAfterSeconds === undefined ? 0 : Math.max(error.retryAfterSeconds, 1) * 1_000;
  const jittered = backoffMs(attempt, { baseMs: policy.baseDelayMs, capMs: policy.maxDelayMs }, random);
  return asked > jittered ? asked + random * policy.baseDelayMs : jittered;
}

/** The next step of a call after an attempt. */
export type NextStep = { step: 'answered' | 'fallback' | 'give_up' } | { step: 'retry'; delayMs: number };

export interface AttemptState {
  attempt: number;
  /** Part of the answer has reached the caller: another attempt would repeat it. */
  passedOn: boolean;
  /** Milliseconds left of this model's share of the budget. */
  leftMs: number;
  /** The model was asked because another one failed. */
  isFallback: boolean;
  isLastModel: boolean;
}

/** Whether no other model can help: the caller left, or has an answer, or part of one. */
export function isFinal(error: AiProviderError, { passedOn }: Pick<AttemptState, 'passedOn'>): boolean {
  return passedOn || error.type === 'aborted' || error.type === 'empty_response';
}

export function nextStep(error: AiProviderError, state: AttemptState, policy: RetryPolicy, random: number): NextStep {
  if (isFinal(error, state)) return { step: 'give_up' };
  if (error.retryable) {
    const delayMs = delayAfter(error, state.attempt, policy, random);
    if (state.attempt < policy.maxAttempts && delayMs + policy.minAttemptMs <= state.leftMs)
      return { step: 'retry', delayMs };
  } else if (
    !state.isFallback &&
    !PROVIDER_FAULTS.has(error.type) &&
    error.type !== 'refusal' &&
    error.status !== 429
  ) {
    // The fault is in the request's own model or key, so the caller gets the error.
    return { step: 'give_up' };
  }
  return { step: state.isLastModel ? 'give_up' : 'fallback' };
}
