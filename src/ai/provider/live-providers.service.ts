import { Injectable } from '@nestjs/common';
import { AI_PROVIDERS, modelNamed, nameOfModel, type AiProviderName } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { AiProviderError } from './ai-provider.error';
import type {
  AiCompletion,
  AiProvider,
  AiRequest,
  AiStreamEvent,
  IgnoredParameter,
  ModelProvider,
  ProviderConnection,
} from './ai-provider.port';
import { ProviderHealth } from './provider-health';
import { environmentAccess, PROVIDERS } from './providers';

interface Connected {
  /** Undefined: nothing is configured. */
  provider: Promise<ModelProvider> | undefined;
  health: ProviderHealth;
}

/** The providers for live keys and people, as one: the full name of a model says which of them answers. */
@Injectable()
export class LiveProviders implements AiProvider {
  readonly billable = true;
  private readonly connected = new Map<AiProviderName, Connected>();
  /** Those whose SDK is loaded. */
  private readonly loaded = new Map<AiProviderName, ModelProvider>();

  constructor(
    configuration: Configuration,
    private readonly clock: Clock,
  ) {
    for (const name of AI_PROVIDERS) this.connect(name, environmentAccess(configuration, name));
  }

  /** Calls under way go on with the former key. The health begins anew: a former refusal says nothing about another key. */
  connect(name: AiProviderName, connection: ProviderConnection | undefined): void {
    this.loaded.delete(name);
    const provider = connection && this.load(name, connection);
    // A call reports the failure, which would otherwise count as unhandled.
    provider?.catch(() => undefined);
    const health = new ProviderHealth({ now: () => this.clock.now(), configured: connection !== undefined });
    this.connected.set(name, { provider, health });
  }

  isConfigured(name: AiProviderName): boolean {
    return this.connected.get(name)!.provider !== undefined;
  }

  get configured(): AiProviderName[] {
    return AI_PROVIDERS.filter((name) => this.isConfigured(name));
  }

  health(name: AiProviderName): ProviderHealth {
    return this.connected.get(name)!.health;
  }

  get ignored(): IgnoredParameter[] {
    return [...this.loaded].flatMap(([name, { ignored = [] }]) =>
      ignored.map(({ model, parameter }) => ({ model: nameOfModel({ provider: name, model }), parameter })),
    );
  }

  async complete(request: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    const { provider, model } = modelNamed(request.model);
    const asked = await this.of(provider);
    return named(provider, await asked.complete({ ...request, model }, signal));
  }

  async *stream(request: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    const { provider, model } = modelNamed(request.model);
    const asked = await this.of(provider);
    for await (const event of asked.stream({ ...request, model }, signal))
      yield event.type === 'final' ? { ...event, completion: named(provider, event.completion) } : event;
  }

  /** @returns full names; undefined if the provider has no list of them @throws AiProviderError */
  async models(name: AiProviderName, signal?: AbortSignal): Promise<string[] | undefined> {
    const models = await (await this.of(name)).models(signal);
    return models?.map((model) => nameOfModel({ provider: name, model }));
  }

  /** @throws AiProviderError `not_configured` */
  private of(name: AiProviderName): Promise<ModelProvider> {
    const { provider } = this.connected.get(name)!;
    if (provider) return provider;
    const why = `No AI provider is configured: ${PROVIDERS[name].variable} is not set`;
    throw new AiProviderError('not_configured', why, { retryable: false });
  }

  private async load(name: AiProviderName, connection: ProviderConnection): Promise<ModelProvider> {
    const make = await PROVIDERS[name].load();
    const provider = make(connection);
    this.loaded.set(name, provider);
    return provider;
  }
}

function named(provider: AiProviderName, completion: AiCompletion): AiCompletion {
  return { ...completion, model: nameOfModel({ provider, model: completion.model }) };
}
