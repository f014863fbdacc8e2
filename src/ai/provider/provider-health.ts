import type { AiErrorType, AiProviderError } from './ai-provider.error';

export type AiStatus = 'available' | 'degraded' | 'unavailable';

/** What each failure means for the provider's status. */
type Meaning = 'down' | 'refused' | 'nothing';

const MEANING: Record<AiErrorType, Meaning> = {
  rate_limited: 'down',
  overloaded: 'down',
  timeout: 'down',
  unavailable: 'down',
  // These last until the operator acts: a key, a permission, a budget.
  authentication: 'refused',
  permission_denied: 'refused',
  spend_limit: 'refused',
  not_configured: 'refused',
  // The request's or the caller's fault.
  invalid_request: 'nothing',
  request_too_large: 'nothing',
  model_not_found: 'nothing',
  empty_response: 'nothing',
  aborted: 'nothing',
};

export interface ProviderHealthOptions {
  /** Unix milliseconds. */
  now: () => number;
  /** Whether a key is configured. */
  configured: boolean;
  /** Consecutive failures that make it `unavailable`. */
  unavailableAfter?: number;
  /** Milliseconds after which a temporary failure no longer counts, if no other attempt followed. */
  memoryMs?: number;
}

/**
 * The AI's status, from the outcomes of real attempts alone: the gateway never probes the provider.
 * Feed it every attempt (RetryingProvider's `onAttempt`).
 */
export class ProviderHealth {
  private failuresInRow = 0;
  private refused = false;
  private last: { error: AiProviderError; at: number } | undefined;

  private readonly now: () => number;
  private readonly configured: boolean;
  private readonly unavailableAfter: number;
  private readonly memoryMs: number;

  constructor({ now, configured, unavailableAfter = 5, memoryMs = 5 * 60_000 }: ProviderHealthOptions) {
    this.now = now;
    this.configured = configured;
    this.unavailableAfter = unavailableAfter;
    this.memoryMs = memoryMs;
  }

  succeeded(): void {
    this.failuresInRow = 0;
    this.refused = false;
    this.last = undefined;
  }

  /** @param model `foreign`: chosen by the request, not by the settings */
  failed(error: AiProviderError, model: 'own' | 'foreign' = 'own'): void {
    const meaning = MEANING[error.type];
    // A permission is for one model: if a client's model lacks it, the settings' models may still have it.
    if (meaning === 'nothing' || (error.type === 'permission_denied' && model === 'foreign')) return;
    if (this.isStale()) this.failuresInRow = 0;
    this.failuresInRow += 1;
    // After an overload, an earlier refusal may no longer hold: the last outcome counts.
    this.refused = meaning === 'refused';
    this.last = { error, at: this.now() };
  }

  get status(): AiStatus {
    if (!this.configured || this.refused) return 'unavailable';
    if (!this.last || this.isStale()) return 'available';
    return this.failuresInRow >= this.unavailableAfter ? 'unavailable' : 'degraded';
  }

  /** The failure behind a status other than `available`; undefined if there is none, or nothing is configured. */
  get lastError(): AiProviderError | undefined {
    return this.status === 'available' ? undefined : this.last?.error;
  }

  private isStale(): boolean {
    return this.last !== undefined && !this.refused && this.now() - this.last.at > this.memoryMs;
  }
}
