import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { toPublicId, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock';
import { Configuration } from '../core/config/configuration';
import { Database } from '../core/database/database';
import type { DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events';
import { SettingsStore } from '../core/settings/settings-store';
import { AiProviderError } from './provider/ai-provider.error';
import type { AiCompletion, AiMessage, AiProvider, AiRequest } from './provider/ai-provider.port';
import { AnthropicProvider } from './provider/anthropic.provider';
import { costUsd, pricesOf } from './provider/prices';
import { ProviderHealth, type AiStatus } from './provider/provider-health';
import { RetryingProvider } from './provider/retrying.provider';
import { SandboxProvider } from './provider/sandbox.provider';
import { RECORD_USAGE, usageRow } from './usage';

export interface AiCall {
  environment: Environment;
  /** UUID; its public form ties `ai.request` to what follows. */
  requestId: string;
  /** UUID, or null for a call that belongs to no conversation. */
  conversationId: string | null;
  messages: AiMessage[];
  /** Instead of the settings'. */
  model?: string;
  maxTokens?: number;
  temperature?: number;
}

/** What is left to record of an answered call: in a transaction of the caller's, or by itself. */
export interface AiAnswer {
  completion: AiCompletion;
  record(client?: PoolClient): Promise<void>;
  /** Announces what was recorded. To be called after the commit. */
  publish(): void;
}

/** Calls to the AI provider of an environment, with their events and their bill. */
@Injectable()
export class AiCalls {
  readonly health: ProviderHealth;
  private readonly providers: Readonly<Record<Environment, AiProvider>>;

  constructor(
    { ai }: Configuration,
    private readonly settings: SettingsStore,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {
    this.health = new ProviderHealth({ now: () => clock.now(), configured: ai.apiKey !== undefined });
    const anthropic = new AnthropicProvider({ apiKey: ai.apiKey, baseUrl: ai.baseUrl });
    this.providers = {
      live: new RetryingProvider(anthropic, {
        onAttempt: ({ error }) => (error ? this.health.failed(error) : this.health.succeeded()),
      }),
      test: new SandboxProvider(),
    };
  }

  provider(environment: Environment): AiProvider {
    return this.providers[environment];
  }

  status(environment: Environment): AiStatus {
    return environment === 'test' ? 'available' : this.health.status;
  }

  /**
   * As `complete`, with the answer's text as it comes.
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
        await requested;
        yield { type: 'answer', answer: this.answer(call, event.completion) };
      }
    } catch (error) {
      await this.recordFailure(call, request, requested, error);
      throw error;
    }
  }

  /**
   * Asks for one answer. The failure's event is recorded here, the answer's by the caller.
   * @throws AiProviderError
   */
  async complete(call: AiCall, signal?: AbortSignal): Promise<AiAnswer> {
    const request = this.requestFor(call);
    const requested = this.announce(call, request);
    try {
      const completion = await this.providers[call.environment].complete(request, signal);
      await requested;
      return this.answer(call, completion);
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
      maxTokens: call.maxTokens ?? ai.max_tokens,
      temperature: call.temperature ?? ai.temperature,
      fallbackModels: ai.fallback_models,
    };
  }

  private announce(call: AiCall, { model }: AiRequest): Promise<void> {
    const requested = this.events.record(this.requestEvent(call, model));
    // Looked at once the provider has answered; until then a rejection must not count as unhandled.
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

  private answer(call: AiCall, completion: AiCompletion): AiAnswer {
    const provider = this.providers[call.environment];
    const prices = pricesOf(completion.model, this.settings.of(call.environment).ai.prices);
    const cost = provider.billable ? costUsd(completion.tokens, prices).costUsd : 0;
    const event = this.events.create('ai.response', {
      ...callData(call),
      model: completion.model,
      tokens: { input: completion.tokens.input, output: completion.tokens.output },
      latency_ms: completion.latencyMs,
      cost_usd: cost,
    });
    const usage = usageRow(call.environment, this.clock.date(), completion, cost);
    return {
      completion,
      record: async (client) =>
        void (await this.database.query(RECORD_USAGE, [...usage, this.events.rows([event])], client)),
      publish: () => this.events.publish([event]),
    };
  }

  private requestEvent(call: AiCall, model: string): DomainEvent {
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
