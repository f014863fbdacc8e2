import { hash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { fullModelName, modelNamed, toPublicId, type Environment, type EventData } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import type { DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { eventRows } from '../core/events/event.rows';
import { Metrics } from '../core/observability/metrics.service';
import { Tracer, type SpanOptions } from '../core/observability/tracing/tracer';
import { SettingsService } from '../core/settings/settings.service';
import type { AiAnswer, AiCall } from './ai-call';
import { subjectOf } from './call-range';
import { AiProviderError } from './provider/ai-provider.error';
import type { AiCompletion, AiProvider, AiRequest, AiTokens } from './provider/ai-provider.port';
import { LiveProviders } from './provider/live-providers.service';
import { CallFiles, type OpenedRequest } from './files/call-files.service';
import { withoutDocuments, withoutFiles } from './files/lighter-request';
import { costUsd, pricedName, pricesOf } from './provider/prices';
import { RetryingProvider, type AttemptObservation } from './provider/retrying.provider';
import { SandboxProvider } from './provider/sandbox.provider';
import { promptTokens, shownTokens } from './provider/tokens';
import { modelsOfSettings, providerOf, requestBySettings } from './request-by-settings';
import { Budgets } from './usage/budgets.service';
import { BudgetSpentError, type Reservation } from './usage/reservation';
import { UsageRecorder, type BilledAnswer } from './usage/usage-recorder.service';

/** The bill has one entry for all models without a price, because clients choose their names. */
const OTHER_MODEL = 'other';

type CallOrigin = Pick<AiCall, 'environment' | 'requestId' | 'conversationId' | 'range' | 'model'>;

interface Asked extends Pick<BilledAnswer, 'keyId' | 'conversationId'> {
  reservation?: Reservation;
}

/** Calls the AI provider of an environment, and records events and bill. */
@Injectable()
export class AiCalls implements OnApplicationShutdown {
  private readonly logger = new Logger(AiCalls.name);
  private readonly providers: Readonly<Record<Environment, AiProvider>>;
  /** The origin and the reservation of each request: failed attempts are billed and charged too. */
  private readonly asked = new WeakMap<AiRequest, Asked>();
  /** Bills and refused files that are being stored while no caller waits for them. */
  private readonly unfinished = new Set<Promise<void>>();

  constructor(
    private readonly settings: SettingsService,
    private readonly recorder: UsageRecorder,
    private readonly budgets: Budgets,
    private readonly files: CallFiles,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    private readonly live: LiveProviders,
  ) {
    this.providers = {
      live: new RetryingProvider(live, {
        onAttempt: (attempt) => this.attempted(attempt),
        beforeRetry: async (request) => this.asked.get(request)?.reservation?.renew(),
      }),
      test: new SandboxProvider(),
    };
  }

  /** Requests and replies end before this; the database closes after it. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.unfinished);
  }

  private healthOf(model: string) {
    return this.live.health(modelNamed(model).provider);
  }

  /**
   * As `complete`, but yields the answer's text as it arrives.
   * @throws AiProviderError also after deltas
   * @throws BudgetSpentError
   */
  async *stream(
    call: AiCall,
    signal?: AbortSignal,
  ): AsyncGenerator<{ type: 'delta'; text: string } | { type: 'answer'; answer: AiAnswer }, void, undefined> {
    const request = await this.prepare(call);
    const startedAt = performance.now();
    const span = this.tracer.start(`chat ${request.model}`, this.spanOf(call, request));
    const requested = this.announce(call, request);
    let opened: OpenedRequest | undefined;
    try {
      opened = await this.open(call, request, signal);
      for await (const event of this.providers[call.environment].stream(opened.request, signal)) {
        if (event.type === 'delta') {
          yield event;
          continue;
        }
        span.set(usageOf(event.completion));
        yield { type: 'answer', answer: await this.answer(call, request, event.completion, requested) };
      }
    } catch (error) {
      span.fail(error instanceof AiProviderError ? error.type : 'internal');
      await this.recordFailure(call, request, requested, error, startedAt);
      throw error;
    } finally {
      opened?.close();
      span.end();
      this.asked.get(request)?.reservation?.end();
    }
  }

  /**
   * Generates one answer. The caller records the event of the answer, and that of a provider's failure during a reply; this method
   * records the events of all other failures.
   * @throws AiProviderError, BudgetSpentError
   */
  async complete(call: AiCall, signal?: AbortSignal): Promise<AiAnswer> {
    const request = await this.prepare(call);
    const startedAt = performance.now();
    const requested = this.announce(call, request);
    let opened: OpenedRequest | undefined;
    try {
      const completion = await this.tracer.run(`chat ${request.model}`, this.spanOf(call, request), async (span) => {
        opened = await this.open(call, request, signal);
        const answered = await this.providers[call.environment].complete(opened.request, signal);
        span.set(usageOf(answered));
        return answered;
      });
      return await this.answer(call, request, completion, requested);
    } catch (error) {
      await this.recordFailure(call, request, requested, error, startedAt);
      throw error;
    } finally {
      opened?.close();
      this.asked.get(request)?.reservation?.end();
    }
  }

  /** Reads the files of a request. The reservation is that of both. The sandbox reads no files. */
  private async open({ environment }: AiCall, request: AiRequest, signal?: AbortSignal): Promise<OpenedRequest> {
    if (!this.providers[environment].billable) return { request, close: () => undefined };
    const opened = await this.files.open(environment, request, signal);
    this.asked.set(opened.request, this.asked.get(request)!);
    return opened;
  }

  private spanOf({ environment }: AiCall, { model, maxTokens }: AiRequest): SpanOptions {
    return {
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerOf(environment, model),
        'gen_ai.request.model': model,
        'gen_ai.request.max_tokens': maxTokens,
      },
    };
  }

  /**
   * Reserves what the call may cost; answers of the sandbox cost nothing. A PDF is reserved at far more than most PDFs cost: a
   * call that fits the budgets only without its PDFs is made without them.
   */
  private async prepare(call: AiCall): Promise<AiRequest> {
    const asked = requestBySettings(this.settings.of(call.environment).ai, call);
    const whole = call.withoutFiles ? withoutFiles(asked) : asked;
    const { keyId, conversationId } = call;
    const origin = { keyId, conversationId };
    this.asked.set(whole, origin);
    if (!this.providers[call.environment].billable) return whole;
    const lighter = withoutDocuments(whole);
    if (lighter !== whole) {
      const reservation = await this.reserve(call, whole, false).catch(ignoreSpentBudget);
      if (reservation) {
        this.asked.set(whole, { ...origin, reservation });
        return whole;
      }
    }
    try {
      this.asked.set(lighter, { ...origin, reservation: await this.reserve(call, lighter, true) });
      return lighter;
    } catch (error) {
      // A client gets the refusal as its answer; for a reply, only the event reports it.
      if (error instanceof BudgetSpentError && call.conversationId !== null)
        await this.recordRefusal(call, lighter, error);
      throw error;
    }
  }

  /** @throws BudgetSpentError of the last person */
  private async reserve(call: AiCall, request: AiRequest, isFinal: boolean): Promise<Reservation> {
    const { environment, key, persons = [] } = call;
    for (const person of persons.slice(0, -1)) {
      try {
        return await this.budgets.reserve(environment, { key, person }, request, isFinal);
      } catch (error) {
        if (!(error instanceof BudgetSpentError) || error.share.scope !== 'person') throw error;
      }
    }
    return this.budgets.reserve(environment, { key, person: persons.at(-1) }, request, isFinal);
  }

  private announce(call: AiCall, { model, system, tools = [] }: AiRequest): Promise<void> {
    if (call.isRepeated) return Promise.resolve();
    const { firstMessageId, lastMessageId } = call.range ?? {};
    const data = {
      ...callData(call),
      model,
      context_messages: call.messages.length,
      context: {
        first_message_id: firstMessageId === undefined ? null : toPublicId('message', firstMessageId),
        last_message_id: lastMessageId === undefined ? null : toPublicId('message', lastMessageId),
        system_prompt_sha256: hash('sha256', system),
      },
      tools: tools.map(({ name }) => name),
    };
    const event = this.events.create('ai.request', data, subjectOf(call.conversationId, call.range));
    const requested = this.recorder.announce(event);
    // Awaited once the provider has answered; until then a rejection must not count as unhandled.
    requested.catch(() => undefined);
    return requested;
  }

  private async recordFailure(
    call: AiCall,
    request: AiRequest,
    requested: Promise<void>,
    error: unknown,
    startedAt: number,
  ): Promise<void> {
    if (error instanceof AiProviderError && error.type !== 'aborted')
      this.metrics.aiAnswered(
        this.labelOf(call.environment, request.model),
        call.environment,
        'failed',
        performance.now() - startedAt,
      );
    await requested.catch(() => undefined);
    if (error instanceof BudgetSpentError) return this.recordRefusal(call, request, error);
    if (call.conversationId !== null || !(error instanceof AiProviderError)) return;
    await this.events.record(this.failureEvent(call, error));
  }

  private async recordRefusal(call: AiCall, { model }: AiRequest, refusal: BudgetSpentError): Promise<void> {
    if (call.conversationId !== null) this.metrics.refused('ai_budget');
    const seconds = refusal.retryAfterSeconds(this.clock.now());
    await this.events.record(this.limitedEvent({ ...call, model }, refusal.share.scope, seconds));
  }

  private async answer(
    call: AiCall,
    request: AiRequest,
    completion: AiCompletion,
    requested: Promise<void>,
  ): Promise<AiAnswer> {
    const { environment } = call;
    const { model, tokens, latencyMs, stopReason } = completion;
    this.metrics.aiAnswered(this.labelOf(environment, model), environment, 'answered', latencyMs);
    const { reservation } = this.asked.get(request)!;
    reservation?.charge(model, tokens, this.settings.of(environment).ai.prices);
    const billed = { ...this.bill(environment, request, model, tokens), isHeld: reservation?.isHeld ?? false };
    try {
      await requested;
    } catch (error) {
      // The caller does not get this answer, but the provider bills it.
      await this.recordUnstored(billed);
      throw error;
    }
    const data: EventData<'ai.response'> = {
      ...callData(call),
      model,
      tokens: shownTokens(tokens),
      latency_ms: latencyMs,
      cost_usd: billed.cost,
      stop_reason: stopReason,
      tool_calls: (completion.toolCalls ?? []).map(({ name }) => name),
      not_sent: null,
    };
    const subject = subjectOf(call.conversationId, call.range);
    const event = this.events.create('ai.response', data, subject);
    const notSent = this.events.create('ai.response', { ...data, not_sent: 'taken_over' }, subject);
    return {
      requestId: call.requestId,
      completion,
      costUsd: billed.cost,
      record: () => this.recorder.record(event, billed),
      billRows: () => [...this.recorder.rows([{ event, answer: billed }]), eventRows([notSent])],
      publish: ({ isSent } = { isSent: true }) => this.events.publish([isSent ? event : notSent]),
      billUnstored: () => this.recordUnstored(billed),
    };
  }

  private bill(environment: Environment, request: AiRequest, model: string, tokens: AiTokens): BilledAnswer {
    const overrides = this.settings.of(environment).ai.prices;
    const prices = pricesOf(model, overrides);
    const cost = this.providers[environment].billable ? costUsd(tokens, prices) : 0;
    this.metrics.aiUsed(this.labelOf(environment, model), environment, tokens, cost);
    const { keyId, conversationId } = this.asked.get(request) ?? {};
    return {
      environment,
      at: this.clock.date(),
      model: pricedName(model, overrides) ?? OTHER_MODEL,
      tokens,
      cost,
      keyId,
      conversationId,
    };
  }

  private labelOf(environment: Environment, model: string): string | undefined {
    return pricedName(model, this.settings.of(environment).ai.prices);
  }

  /** Records each attempt separately: the provider bills a failed one too, even if a retry follows. */
  private attempted({ request, error, model, attempt, next }: AttemptObservation): void {
    if (!error) return this.healthOf(model).succeeded();
    const { type, status, message } = error;
    this.logger.debug({ model, attempt, type, status, next: next.step }, `The AI provider failed: ${message}`);
    const isOwn = modelsOfSettings(this.settings.of('live').ai).includes(model);
    // A request that the provider refuses for its files or its length says nothing about the provider.
    if (!error.fault) this.healthOf(model).failed(error, isOwn ? 'own' : 'foreign');
    if (error.fault?.of === 'files' && error.fault.files.length > 0)
      this.finish(this.files.remember(error.fault.files));
    if (!error.tokens) return;
    this.asked.get(request)?.reservation?.charge(model, error.tokens, this.settings.of('live').ai.prices);
    void this.recordUnstored(this.bill('live', request, model, error.tokens));
  }

  private recordUnstored(billed: BilledAnswer): Promise<void> {
    const recorded = this.recorder.recordUnstored(billed).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'The cost of a failed AI request could not be recorded');
    });
    this.finish(recorded);
    return recorded;
  }

  /** Lets the work end before the database closes. @param work never rejects */
  private finish(work: Promise<void>): void {
    this.unfinished.add(work);
    void work.finally(() => this.unfinished.delete(work));
  }

  failureEvent(call: CallOrigin, error: AiProviderError): DomainEvent {
    if (error.type !== 'rate_limited') return this.errorEvent(call, error);
    const { retryAfterSeconds: seconds } = error;
    return this.limitedEvent(call, 'provider', seconds === undefined ? null : Math.ceil(seconds));
  }

  errorEvent(call: CallOrigin, { type, message, retryable }: EventData<'ai.error'>['error']): DomainEvent<'ai.error'> {
    const error = { type, message, retryable };
    return this.events.create(
      'ai.error',
      { ...callData(call), model: this.modelOf(call), error },
      subjectOf(call.conversationId, call.range),
    );
  }

  private modelOf({ environment, model }: Pick<CallOrigin, 'environment' | 'model'>): string {
    const { ai } = this.settings.of(environment);
    return fullModelName(model ?? ai.model, ai.provider);
  }

  limitedEvent(
    call: Omit<CallOrigin, 'requestId'>,
    scope: EventData<'ai.rate_limited'>['scope'],
    retry_after_seconds: number | null,
  ): DomainEvent<'ai.rate_limited'> {
    const { environment } = call;
    const model = this.modelOf(call);
    const provider = providerOf(environment, model);
    const data = { environment, provider, model, scope, retry_after_seconds };
    return this.events.create('ai.rate_limited', data, subjectOf(call.conversationId, call.range));
  }
}

function ignoreSpentBudget(error: unknown): undefined {
  if (!(error instanceof BudgetSpentError)) throw error;
}

function usageOf({ model, tokens }: AiCompletion) {
  return {
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': promptTokens(tokens),
    'gen_ai.usage.output_tokens': tokens.output,
  };
}

function callData({ environment, requestId, conversationId }: CallOrigin) {
  return {
    environment,
    request_id: toPublicId('request', requestId),
    conversation_id: conversationId === null ? null : toPublicId('conversation', conversationId),
  };
}
