import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AI_PROVIDERS, modelNamed, shownModelName, type AiProviderName } from '#contracts';
import { defaultProvider } from '../../core/config/ai-access';
import { Configuration } from '../../core/config/configuration';
import { DatabaseListener, RowsInMemory } from '../../core/database/database-listener.service';
import { assertNoAiBudget } from '../../core/http/ai-budget-rule';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { SettingsService } from '../../core/settings/settings.service';
import type { AiProviderDto, AiProviderModelDto, DeletedAiProviderDto, SetAiProviderDto } from '../dto/provider.dto';
import { AiProviderError } from '../provider/ai-provider.error';
import type { ProviderConnection } from '../provider/ai-provider.port';
import { LiveProviders } from '../provider/live-providers.service';
import { environmentAccess } from '../provider/providers';
import { AiAddressGuard } from './ai-address-guard';
import { ProviderRows, PROVIDERS_CHANGED, type StoredProvider } from './provider-rows.service';

/** A list of models arrives within this time, in milliseconds. */
const LIST_TIMEOUT_MS = 10_000;

/** Which AI providers the deployment has: a key that the API has set wins over that of the environment. */
@Injectable()
export class AiProviders implements OnModuleInit, BeforeApplicationShutdown {
  private readonly guard: AiAddressGuard;
  private stored: ReadonlyMap<AiProviderName, StoredProvider> = new Map();
  /** The connection of each provider, as text: one that did not change keeps its health. */
  private readonly connections = new Map<AiProviderName, string>();
  private readonly memory = new RowsInMemory('AI providers', () => this.load());

  constructor(
    private readonly configuration: Configuration,
    private readonly rows: ProviderRows,
    private readonly live: LiveProviders,
    private readonly settings: SettingsService,
    private readonly listener: DatabaseListener,
  ) {
    this.guard = new AiAddressGuard(configuration);
  }

  async onModuleInit(): Promise<void> {
    this.memory.follow(this.listener, PROVIDERS_CHANGED);
    await this.memory.read();
  }

  beforeApplicationShutdown(): void {
    this.memory.stop();
  }

  list(caller: Caller): AiProviderDto[] {
    assertLive(caller, 'providers');
    return AI_PROVIDERS.map((name) => this.shown(name));
  }

  /** In force on this instance when it resolves, and on the others within a second. @throws ApiError */
  async set(caller: Caller, word: string, { api_key, base_url = null }: SetAiProviderDto): Promise<AiProviderDto> {
    const name = nameOf(caller, word);
    assertNoAiBudget(caller, 'change AI providers');
    const reason =
      base_url === null ? api_key === null && 'must be set if api_key is null' : await this.guard.fault(base_url);
    // Without the value: it may carry credentials.
    if (reason) throw ApiError.invalidParameter('base_url', reason);
    await this.rows.set(name, api_key, base_url);
    await this.memory.read();
    return this.shown(name);
  }

  /** The environment's key counts again, if there is one. @throws ApiError */
  async delete(caller: Caller, word: string): Promise<DeletedAiProviderDto> {
    const name = nameOf(caller, word);
    assertNoAiBudget(caller, 'change AI providers');
    if (!(await this.rows.delete(name))) throw ApiError.notFound('AI provider set by the API', name);
    await this.memory.read();
    return { name, deleted: true };
  }

  /** Asks the provider. Empty if the server has no list of models. @throws ApiError AI_PROVIDER_ERROR */
  async models(caller: Caller, word: string): Promise<AiProviderModelDto[]> {
    const name = nameOf(caller, word);
    try {
      const models = await this.live.models(name, AbortSignal.timeout(LIST_TIMEOUT_MS));
      const { provider } = this.settings.of(caller.environment).ai;
      return (models ?? []).map((model) => ({ id: modelNamed(model).model, name: shownModelName(model, provider) }));
    } catch (error) {
      if (!(error instanceof AiProviderError)) throw error;
      const { type, message, retryable } = error;
      throw new ApiError('AI_PROVIDER_ERROR', { provider: name, type, retryable }, message);
    }
  }

  private shown(name: AiProviderName): AiProviderDto {
    const stored = this.stored.get(name);
    const environment = environmentAccess(this.configuration, name);
    if (environment && !stored?.access)
      return { name, configured: true, base_url: withoutCredentials(environment.baseUrl), source: 'environment' };
    return {
      name,
      configured: stored?.access !== undefined,
      base_url: stored?.baseUrl ?? null,
      source: stored ? 'api' : null,
    };
  }

  private async load(): Promise<void> {
    this.stored = await this.rows.read();
    for (const name of AI_PROVIDERS) this.connect(name);
    await this.settings.useProvider(defaultProvider(this.live.configured));
  }

  private connect(name: AiProviderName): void {
    const access = this.stored.get(name)?.access;
    // The provider's own address needs no guard, and goes through the proxies of the environment.
    const connection: ProviderConnection | undefined = access
      ? { ...access, ...(access.baseUrl !== undefined && { dispatcher: this.guard.dispatcher }) }
      : environmentAccess(this.configuration, name);
    const text = JSON.stringify([connection?.apiKey, connection?.baseUrl, access !== undefined]);
    if (this.connections.get(name) === text) return;
    this.connections.set(name, text);
    this.live.connect(name, connection);
  }
}

/** @throws ApiError RESOURCE_NOT_FOUND */
function nameOf(caller: Caller, word: string): AiProviderName {
  assertLive(caller, word);
  const name = AI_PROVIDERS.find((each) => each === word);
  if (!name) throw ApiError.notFound('AI provider', word);
  return name;
}

/** The sandbox has no provider. @throws ApiError RESOURCE_NOT_FOUND */
function assertLive({ environment }: Caller, word: string): void {
  if (environment !== 'live') throw ApiError.notFound('AI provider', word);
}

function withoutCredentials(url: string | undefined): string | null {
  return url?.replace(/\/\/[^/@]*@/, '//') ?? null;
}
