import type { AiErrorType, AiProviderError } from './ai-provider.error';

export type AiStatus = 'available' | 'degraded' | 'unavailable';

/** The provider's status after each kind of failure. */
type Meaning = 'down' | 'refused' | 'request refused' | 'nothing';

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
  // The request's fault, unless it happens to every request.
  invalid_request: 'request refused',
  request_too_large: 'request refused',
  model_not_found: 'request refused',
  empty_response: 'nothing',
  refusal: 'nothing',
  aborted: 'nothing',
};

/** After this many refused requests in a row, the provider is assumed to refuse every request. */
export const REFUSALS_IN_A_ROW = 3;

/**
 * Whether failures since the last answer mean that the provider refuses every request.
 * @param times how many of them were refusals of a request for a model of the settings
 */
export function refusesAll(type: string, times: number): boolean {
  const meaning = Object.hasOwn(MEANING, type) ? MEANING[type as AiErrorType] : 'nothing';
  return meaning === 'refused' || (meaning === 'request refused' && times >= REFUSALS_IN_A_ROW);
}

/** The status of providers of which each answers if those before it fail. */
export function togetherStatus([first = 'unavailable', ...fallbacks]: readonly AiStatus[]): AiStatus {
  return first === 'unavailable' && fallbacks.includes('available') ? 'degraded' : first;
}

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
  /** Requests for models of the settings that were refused since the last answer. */
  private refusals = 0;
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
    this.refusals = 0;
    this.last = undefined;
  }

  /** @param model `foreign`: chosen by the request, not by the settings */
  failed(error: AiProviderError, model: 'own' | 'foreign' = 'own'): void {
    const meaning = MEANING[error.type];
    // Permissions are per model: a client's model may lack one that the models of the settings have.
    const isForeign = model === 'foreign' && (meaning === 'request refused' || error.type === 'permission_denied');
    if (meaning === 'nothing' || isForeign) return;
    if (meaning === 'request refused') this.refusals += 1;
    const isRefused = refusesAll(error.type, this.refusals);
    if (meaning === 'request refused' && !isRefused) return;
    if (this.isStale()) this.failuresInRow = 0;
    this.failuresInRow += 1;
    // After an overload, an earlier refusal may no longer hold: the last outcome counts.
    this.refused = isRefused;
    this.last = { error, at: this.now() };
  }

  get status(): AiStatus {
    if (!this.configured || this.refused) return 'unavailable';
    if (!this.last || this.isStale()) return 'available';
    return this.failuresInRow >= this.unavailableAfter ? 'unavailable' : 'degraded';
  }

  /** The failure behind a status other than `available`; undefined without a failure, or if nothing is configured. */
  get lastError(): AiProviderError | undefined {
    return this.status === 'available' ? undefined : this.last?.error;
  }

  private isStale(): boolean {
    return this.last !== undefined && !this.refused && this.now() - this.last.at > this.memoryMs;
  }
}
