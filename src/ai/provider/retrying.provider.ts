import { setTimeout as sleep } from 'node:timers/promises';
import { lighterRequest } from '../files/lighter-request';
import { abortError, afterSpending, AiProviderError, timeoutError, type RequestFault } from './ai-provider.error';
import type { AiCompletion, AiProvider, AiRequest, AiStreamEvent } from './ai-provider.port';
import { mostTokens } from './tokens';
import { DEFAULT_RETRY_POLICY, isFinal, nextStep, type NextStep, type RetryPolicy } from './retry-policy';

/** One request to the provider and its outcome. */
export interface AttemptObservation {
  /** The caller's request, the same object for every attempt of a call. */
  request: AiRequest;
  /** The model of this attempt, perhaps a fallback. */
  model: string;
  /** Per model, from 1. */
  attempt: number;
  latencyMs: number;
  completion?: AiCompletion;
  error?: AiProviderError;
  next: NextStep;
}

export interface RetryTime {
  /** Milliseconds of a monotonic clock; only differences matter. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
  /** 0 to 1. */
  random(): number;
}

const REAL_TIME: RetryTime = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: () => Math.random(),
};

export interface RetryingOptions {
  policy?: Partial<RetryPolicy>;
  time?: RetryTime;
  /** The one place for per-attempt metrics, events and {@link ProviderHealth}. Must not throw. */
  onAttempt?: (observation: AttemptObservation) => void;
  /** Awaited before an attempt that follows a billed one; if it throws, the call fails with that error. */
  beforeRetry?: (request: AiRequest) => Promise<void>;
}

/**
 * Retries where that may help, then asks the fallback models in turn, within one time budget. Each model may use an equal
 * part of the remaining time, so that a model that hangs does not take the fallbacks' time. If none of them answers, the
 * call fails with the first model's error: it is the model that the caller asked for. If models refuse and another one has a
 * temporary failure, the call fails with that: the other model may answer later.
 */
export class RetryingProvider implements AiProvider {
  private readonly policy: RetryPolicy;
  private readonly time: RetryTime;
  private readonly onAttempt: (observation: AttemptObservation) => void;
  private readonly beforeRetry: (request: AiRequest) => Promise<void>;

  constructor(
    private readonly provider: AiProvider,
    { policy, time = REAL_TIME, onAttempt = () => {}, beforeRetry = () => Promise.resolve() }: RetryingOptions = {},
  ) {
    this.beforeRetry = beforeRetry;
    this.policy = { ...DEFAULT_RETRY_POLICY, ...policy };
    this.time = time;
    this.onAttempt = onAttempt;
  }

  get billable(): boolean {
    return this.provider.billable;
  }

  get ignored(): AiProvider['ignored'] {
    return this.provider.ignored;
  }

  async complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    for await (const event of this.run(request, signal, (asked, ended) => this.whole(asked, ended))) {
      if (event.type === 'final') return event.completion;
    }
    throw new Error('a run ends with an answer or throws');
  }

  /** As {@link AiProvider.stream}; retries only until it has passed a delta on. */
  stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    return this.run(request, signal, (asked, ended) => this.provider.stream(asked, ended));
  }

  /** Turns a whole answer into a stream with only its `final` event. */
  private async *whole(asked: AiRequest, ended: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    yield { type: 'final', completion: await this.provider.complete(asked, ended) };
  }

  private async *run(
    request: AiRequest,
    signal: AbortSignal | undefined,
    ask: (request: AiRequest, signal: AbortSignal) => AsyncIterable<AiStreamEvent>,
  ): AsyncGenerator<AiStreamEvent, void, undefined> {
    const startedAt = this.time.now();
    const deadline = startedAt + this.policy.callBudgetMs - (request.waitedMs ?? 0);
    const policy = request.isRepeated ? { ...this.policy, maxAttempts: 1 } : this.policy;
    const models = [...new Set([request.model, ...(request.fallbackModels ?? [])])];
    let firstFailure: AiProviderError | undefined;
    let isRefused = false;
    /** Without the parts that the provider has refused. */
    let lighter = request;
    const refused = new Set<RequestFault['of']>();

    for (const [index, model] of models.entries()) {
      const modelDeadline = this.time.now() + (deadline - this.time.now()) / (models.length - index);
      for (let attempt = 1, tries = true; tries; attempt++) {
        const attemptAt = this.time.now();
        const timer = new AttemptTimer(Math.min(this.policy.attemptTimeoutMs, modelDeadline - attemptAt), signal);
        const observe = (outcome: Pick<AttemptObservation, 'completion' | 'error' | 'next'>) =>
          this.onAttempt({
            request,
            model,
            attempt,
            latencyMs: Math.round(this.time.now() - attemptAt),
            ...outcome,
          });
        let isAsked = false;
        let passedOn = false;
        let failure: AiProviderError;
        try {
          let completion: AiCompletion | undefined;
          if (signal?.aborted) throw abortError(signal);
          isAsked = true;
          for await (const event of ask({ ...lighter, model }, timer.signal)) {
            if (event.type === 'final') {
              completion = event.completion;
              break;
            }
            // An answer that has begun may take all the remaining time: cutting it off would gain nothing.
            if (!passedOn) timer.extend(deadline - this.time.now());
            passedOn = true;
            yield event;
          }
          if (!completion)
            throw new AiProviderError('unavailable', 'The AI provider gave no answer', { retryable: true });
          observe({ completion, next: { step: 'answered' } });
          const latencyMs = Math.round(this.time.now() - startedAt);
          yield { type: 'final', completion: { ...completion, latencyMs, ...(isRefused && { isRefused }) } };
          return;
        } catch (error) {
          // Any other error is a bug of ours (or of the caller's onAttempt): a retry would hide it.
          if (!(error instanceof AiProviderError)) throw error;
          failure = isAsked && !error.tokens && isLeft(error) ? afterSpending(mostTokens(request), error) : error;
        } finally {
          timer.end();
        }

        isRefused ||= failure.type === 'refusal';
        const isLastModel = index === models.length - 1;
        const leftMs = modelDeadline - this.time.now();
        const state = { attempt, passedOn, leftMs, isFallback: index > 0, isLastModel };
        const { fault } = failure;
        const rest = fault && !passedOn && !refused.has(fault.of) ? lighterRequest(lighter, fault) : undefined;
        const next: NextStep = rest
          ? { step: 'retry', delayMs: 0 }
          : nextStep(failure, state, policy, this.time.random());
        if (fault) refused.add(fault.of);
        lighter = rest ?? lighter;
        observe({ error: failure, next });
        if (next.step === 'give_up') throw isFinal(failure, state) ? failure : causeOf(firstFailure, failure);
        if (failure.tokens) await this.beforeRetry(request);
        if (next.step === 'fallback') firstFailure = causeOf(firstFailure, failure);
        tries = next.step === 'retry';
        if (next.step === 'retry' && next.delayMs > 0) await this.wait(next.delayMs, signal);
      }
    }
  }

  private async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.time.sleep(ms, signal);
    } catch (error) {
      throw signal?.aborted ? abortError(signal) : error;
    }
  }
}

/** The failure that the call reports so far. */
function causeOf(earlier: AiProviderError | undefined, failure: AiProviderError): AiProviderError {
  if (!earlier) return failure;
  return earlier.type === 'refusal' && failure.retryable ? failure : earlier;
}

/** The gateway did not wait for the answer. The provider may go on with it, and bills it. */
function isLeft({ type, status }: AiProviderError): boolean {
  return (type === 'aborted' || type === 'timeout') && status === undefined;
}

/** The reason that stops an attempt. One shared error: `abort()` without a reason creates one, with its stack, at each call. */
const OVER = new Error('the attempt is over');

/** Ends an attempt when its time is up or the caller aborts; `end` clears its timer. */
class AttemptTimer {
  readonly signal: AbortSignal;
  private readonly timeout = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(ms: number, caller: AbortSignal | undefined) {
    this.signal = caller ? AbortSignal.any([caller, this.timeout.signal]) : this.timeout.signal;
    this.extend(ms);
  }

  extend(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.timeout.abort(timeoutError()), Math.max(0, ms));
  }

  /** Also stops a request that its caller has abandoned. */
  end(): void {
    clearTimeout(this.timer);
    this.timeout.abort(OVER);
  }
}
