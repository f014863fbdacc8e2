import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, AiProviderError, timeoutError } from './ai-provider.error';
import type { AiCompletion, AiProvider, AiRequest, AiStreamEvent } from './ai-provider.port';
import { DEFAULT_RETRY_POLICY, isLastWord, nextStep, type NextStep, type RetryPolicy } from './retry-policy';

/** One request to the provider and what came of it. */
export interface AttemptObservation {
  /** The caller's request, the same object for every attempt of a call. */
  request: AiRequest;
  provider: AiProvider['name'];
  /** The model asked in this attempt, perhaps a fallback. */
  model: string;
  /** Per model, from 1. */
  attempt: number;
  latencyMs: number;
  completion?: AiCompletion;
  error?: AiProviderError;
  next: NextStep;
}

export interface RetryTime {
  /** Milliseconds; only differences matter, so let it be monotonic. */
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
}

/**
 * Asks again where that may help, then the fallback models in turn, within one budget. Each model may use an equal part
 * of what is left of it, so that a model that hangs does not take the fallbacks' time. Where none of them answers, the
 * first one's failure is told: it is the one that was asked for.
 */
export class RetryingProvider implements AiProvider {
  private readonly policy: RetryPolicy;
  private readonly time: RetryTime;
  private readonly onAttempt: (observation: AttemptObservation) => void;

  constructor(
    private readonly provider: AiProvider,
    { policy, time = REAL_TIME, onAttempt = () => {} }: RetryingOptions = {},
  ) {
    this.policy = { ...DEFAULT_RETRY_POLICY, ...policy };
    this.time = time;
    this.onAttempt = onAttempt;
  }

  get name(): AiProvider['name'] {
    return this.provider.name;
  }

  get billable(): boolean {
    return this.provider.billable;
  }

  async complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    for await (const event of this.run(request, signal, (asked, ended) => this.whole(asked, ended))) {
      if (event.type === 'final') return event.completion;
    }
    throw new Error('a run ends with an answer or throws');
  }

  /** As {@link AiProvider.stream}; asks again only as long as no delta was passed on. */
  stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    return this.run(request, signal, (asked, ended) => this.provider.stream(asked, ended));
  }

  /** An answer that is asked for whole, as a stream of nothing but its end. */
  private async *whole(asked: AiRequest, ended: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    yield { type: 'final', completion: await this.provider.complete(asked, ended) };
  }

  private async *run(
    request: AiRequest,
    signal: AbortSignal | undefined,
    ask: (request: AiRequest, signal: AbortSignal) => AsyncIterable<AiStreamEvent>,
  ): AsyncGenerator<AiStreamEvent, void, undefined> {
    const startedAt = this.time.now();
    const deadline = startedAt + this.policy.callBudgetMs;
    const models = [...new Set([request.model, ...(request.fallbackModels ?? [])])];
    let firstFailure: AiProviderError | undefined;

    for (const [index, model] of models.entries()) {
      const modelDeadline = this.time.now() + (deadline - this.time.now()) / (models.length - index);
      for (let attempt = 1, tries = true; tries; attempt++) {
        const attemptAt = this.time.now();
        const timer = new AttemptTimer(Math.min(this.policy.attemptTimeoutMs, modelDeadline - attemptAt), signal);
        const observe = (outcome: Pick<AttemptObservation, 'completion' | 'error' | 'next'>) =>
          this.onAttempt({
            request,
            provider: this.name,
            model,
            attempt,
            latencyMs: Math.round(this.time.now() - attemptAt),
            ...outcome,
          });
        let passedOn = false;
        let failure: AiProviderError;
        try {
          let completion: AiCompletion | undefined;
          if (signal?.aborted) throw abortError(signal);
          for await (const event of ask({ ...request, model }, timer.signal)) {
            if (event.type === 'final') {
              completion = event.completion;
              break;
            }
            // An answer that has begun may take all that is left: cutting it off would gain nothing.
            if (!passedOn) timer.extend(deadline - this.time.now());
            passedOn = true;
            yield event;
          }
          if (!completion)
            throw new AiProviderError('unavailable', 'The AI provider gave no answer', { retryable: true });
          observe({ completion, next: { step: 'answered' } });
          yield { type: 'final', completion: { ...completion, latencyMs: Math.round(this.time.now() - startedAt) } };
          return;
        } catch (error) {
          // Anything else is a bug of ours (or the caller's onAttempt's): asking again would hide it.
          if (!(error instanceof AiProviderError)) throw error;
          failure = error;
        } finally {
          timer.end();
        }

        const isLastModel = index === models.length - 1;
        const leftMs = modelDeadline - this.time.now();
        const state = { attempt, passedOn, leftMs, isFallback: index > 0, isLastModel };
        const next = nextStep(failure, state, this.policy, this.time.random());
        observe({ error: failure, next });
        if (next.step === 'give_up') throw isLastWord(failure, state) ? failure : (firstFailure ?? failure);
        if (next.step === 'fallback') firstFailure ??= failure;
        tries = next.step === 'retry';
        if (next.step === 'retry') await this.wait(next.delayMs, signal);
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

/** Why what is left of an attempt stops. Made once: an error without a given reason is made, with its stack, at each call. */
const OVER = new Error('the attempt is over');

/** Ends an attempt when its time is up or the caller gives up, and leaves nothing behind. */
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

  /** Also stops a request that the caller walked away from. */
  end(): void {
    clearTimeout(this.timer);
    this.timeout.abort(OVER);
  }
}
