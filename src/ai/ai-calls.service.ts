import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { toPublicId, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Configuration } from '../core/config/configuration';
import type { DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { SettingsService } from '../core/settings/settings.service';
import { AiProviderError } from './provider/ai-provider.error';
import type { AiCompletion, AiMessage, AiProvider, AiRequest, AiTokens } from './provider/ai-provider.port';
import { AnthropicProvider } from './provider/anthropic.provider';
import { costUsd, pricesOf } from './provider/prices';
import { ProviderHealth, type AiStatus } from './provider/provider-health';
import { RetryingProvider, type AttemptObservation } from './provider/retrying.provider';
import { SandboxProvider } from './provider/sandbox.provider';
import { UsageRecorder, type BilledAnswer } from './usage/usage-recorder.service';

export interface AiCall {
  environment: Environment;
  /** UUID; its public form links `ai.request` to the later events. */
  requestId: string;
  /** UUID, or null for a call that belongs to no conversation. */
  conversationId: string | null;
  messages: AiMessage[];
  /** True if the next call probably begins with these messages. */
  growing: boolean;
  /** Instead of the settings'. */
  model?: string;
  maxTokens?: number;
  temperature?: number;
}

/** An answered call; the caller records it, in a transaction of its own or without one. */
export interface AiAnswer {
  completion: AiCompletion;
  record(client?: PoolClient): Promise<void>;
  /** Publishes the recorded event. Call it after the commit. */
  publish(): void;
  /** Bills the answer alone, if its record is certainly rolled back: the provider bills it nevertheless. Never rejects. */
  waste(): Promise<void>;
}

/** Calls the AI provider of an environment, and records events and bill. */
@Injectable()
export class AiCalls implements OnApplicationShutdown {
  readonly health: ProviderHealth;
  private readonly logger = new Logger(AiCalls.name);
  private readonly providers: Readonly<Record<Environment, AiProvider>>;
  /** Bills being written for which no caller waits. */
  private readonly wastes = new Set<Promise<void>>();

  constructor(
    { ai }: Configuration,
    private readonly settings: SettingsService,
    private readonly recorder: UsageRecorder,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {
    this.health = new ProviderHealth({ now: () => clock.now(), configured: ai.apiKey !== undefined });
    const anthropic = new AnthropicProvider({ apiKey: ai.apiKey, baseUrl: ai.baseUrl });
    this.providers = {
      live: new RetryingProvider(anthropic, { onAttempt: (attempt) => this.attempted(attempt) }),
      test: new SandboxProvider(),
    };
  }

  /** Requests and replies end before this; the database closes after it. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.wastes);
  }

  provider(environment: Environment): AiProvider {
    return this.providers[environment];
  }

  status(environment: Environment): AiStatus {
    return environment === 'test' ? 'available' : this.health.status;
  }

  /**
   * As `complete`, but yields the answer's text as it arrives.
   * @throws AiProviderError also after deltas
   */
  async *stream(
    call: AiCall,
    signal?: AbortSignal,
  ): AsyncGenerator<{ type: 'delta'; text: string } | { type: 'answer'; answer: AiAnswer }, void, undefined> {
    const request = this.requestFor(call);
    const requested = this.announce(call, request);
    try {
      for await (const event of this.providers[call.environment].stream(request, signal)) {
        if (event.type === 'delta') {
          yield event;
          continue;
        }
        yield { type: 'answer', answer: await this.answer(call, event.completion, requested) };
      }
    } catch (error) {
      await this.recordFailure(call, request, requested, error);
      throw error;
    }
  }

  /**
   * Asks for one answer. It records the event of a failure; the caller records the event of an answer.
   * @throws AiProviderError
   */
  async complete(call: AiCall, signal?: AbortSignal): Promise<AiAnswer> {
    const request = this.requestFor(call);
    const requested = this.announce(call, request);
    try {
      const completion = await this.providers[call.environment].complete(request, signal);
      return await this.answer(call, completion, requested);
    } catch (error) {
      await this.recordFailure(call, request, requested, error);
      throw error;
    }
  }

  private requestFor(call: AiCall): AiRequest {
    const { ai } = this.settings.of(call.environment);
    return {
      model: call.model ?? ai.model,
      system: ai.system_prompt,
      messages: call.messages,
      growing: call.growing,
      maxTokens: call.maxTokens ?? ai.max_tokens,
      temperature: call.temperature ?? ai.temperature,
      fallbackModels: ai.fallback_models,
    };
  }

  private announce(call: AiCall, { model }: AiRequest): Promise<void> {
    const requested = this.recorder.announce(this.requestEvent(call, model));
    // Awaited once the provider has answered; until then a rejection must not count as unhandled.
    requested.catch(() => undefined);
    return requested;
  }

  private async recordFailure(
    call: AiCall,
    { model }: AiRequest,
    requested: Promise<void>,
    error: unknown,
  ): Promise<void> {
    await requested.catch(() => undefined);
    if (!(error instanceof AiProviderError) || error.type === 'aborted') return;
    await this.events.record(this.failureEvent(call, model, error));
  }

  private async answer(call: AiCall, completion: AiCompletion, requested: Promise<void>): Promise<AiAnswer> {
    const { environment } = call;
    const { model, tokens } = completion;
    const billed = this.bill(environment, model, tokens);
    try {
      await requested;
    } catch (error) {
      // The caller does not get this answer, but the provider bills it.
      await this.recordWaste(billed);
      throw error;
    }
    const event = this.events.create('ai.response', {
      ...callData(call),
      model,
      tokens: { input: tokens.input, output: tokens.output },
      latency_ms: completion.latencyMs,
      cost_usd: billed.cost,
    });
    return {
      completion,
      record: (client) => this.recorder.record(event, billed, client),
      publish: () => this.events.publish([event]),
      waste: () => this.recordWaste(billed),
    };
  }

  private bill(environment: Environment, model: string, tokens: AiTokens): BilledAnswer {
    const prices = pricesOf(model, this.settings.of(environment).ai.prices);
    const cost = this.providers[environment].billable ? costUsd(tokens, prices) : 0;
    return { environment, at: this.clock.date(), model, tokens, cost };
  }

  /** Records each attempt separately: the provider bills a failed one too, even if a retry follows. */
  private attempted({ error, model }: AttemptObservation): void {
    if (!error) return this.health.succeeded();
    this.health.failed(error, this.isOwn(model) ? 'own' : 'foreign');
    if (error.tokens) void this.recordWaste(this.bill('live', model, error.tokens));
  }

  private isOwn(model: string): boolean {
    const { ai } = this.settings.of('live');
    return model === ai.model || ai.fallback_models.includes(model);
  }

  private recordWaste(billed: BilledAnswer): Promise<void> {
    const recorded = this.recorder
      .recordWaste(billed)
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'The cost of a failed AI request could not be recorded');
      })
      .finally(() => this.wastes.delete(recorded));
    this.wastes.add(recorded);
    return recorded;
  }

  private requestEvent(call: AiCall, model: string): DomainEvent<'ai.request'> {
    return this.events.create('ai.request', { ...callData(call), model, context_messages: call.messages.length });
  }

  private failureEvent(call: AiCall, model: string, error: AiProviderError): DomainEvent {
    if (error.type === 'rate_limited') {
      return this.events.create('ai.rate_limited', {
        environment: call.environment,
        provider: this.providers[call.environment].name,
        model,
        scope: 'provider',
        retry_after_seconds: error.retryAfterSeconds === undefined ? null : Math.ceil(error.retryAfterSeconds),
      });
    }
    const { type, message, retryable } = error;
    return this.events.create('ai.error', { ...callData(call), model, error: { type, message, retryable } });
  }
}

function callData({ environment, requestId, conversationId }: AiCall) {
  return {
    environment,
    request_id: toPublicId('request', requestId),
    conversation_id: conversationId === null ? null : toPublicId('conversation', conversationId),
  };
}
