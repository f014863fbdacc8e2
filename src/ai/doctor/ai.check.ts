import {
  AI_PROVIDERS,
  type AiProviderName,
  type DoctorCheck,
  type DoctorFinding,
  finding,
  healthy,
  modelNamed,
  NotCheckable,
} from '#contracts';
import { defaultProvider } from '../../core/config/ai-access';
import type { Configuration } from '../../core/config/configuration';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { liveSettings } from '../../core/doctor/live-settings.rows';
import { defaultSettings, type Settings } from '../../core/settings/settings';
import { AiProviderError } from '../provider/ai-provider.error';
import type { ModelProvider, ProviderAccess } from '../provider/ai-provider.port';
import { environmentAccess, PROVIDERS } from '../provider/providers';
import { storedProviders } from './stored-providers.rows';
import { modelsOfSettings } from '../request-by-settings';

const TIMEOUT_MS = 8_000;

type Accesses = ReadonlyMap<AiProviderName, ProviderAccess>;

/** Looks the models up at each configured provider: it generates no message, so nothing is billed. */
export class AiCheck implements DoctorCheck {
  readonly name = 'ai';
  readonly variables = [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'AI_ALLOWED_CIDRS',
    'AI_MODEL',
  ];

  constructor(
    private readonly configuration: Configuration,
    private readonly database: DoctorDatabase,
  ) {}

  async check(signal: AbortSignal): Promise<DoctorFinding[]> {
    const accesses = await this.accesses();
    if (accesses.size === 0)
      return [healthy(this.name, 'not configured: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set')];
    const models = modelsOfSettings(await this.settings(accesses));
    const findings = models
      .filter((model) => !accesses.has(modelNamed(model).provider))
      .map((model) => finding('ai.model-unknown', `No key is set for the provider of ${model}`));
    for (const [name, access] of accesses) {
      const own = models.map((model) => modelNamed(model)).filter(({ provider }) => provider === name);
      const found = await this.ask(name, access, [...new Set(own.map(({ model }) => model))], signal);
      const of = accesses.size > 1 ? `${name}: ` : '';
      findings.push(...found.map((each) => ({ ...each, message: of + each.message })));
    }
    return findings;
  }

  private async ask(
    name: AiProviderName,
    access: ProviderAccess,
    models: readonly string[],
    signal: AbortSignal,
  ): Promise<DoctorFinding[]> {
    const make = await PROVIDERS[name].load();
    const provider = make({ ...access, timeoutMs: TIMEOUT_MS });
    try {
      return await this.lookUp(provider, models, signal);
    } catch (error) {
      if (!(error instanceof AiProviderError)) throw error;
      const { type, message } = error;
      return [finding(type === 'authentication' ? 'ai.key-refused' : 'ai.unreachable', message)];
    }
  }

  /** @throws AiProviderError */
  private async lookUp(
    provider: ModelProvider,
    models: readonly string[],
    signal: AbortSignal,
  ): Promise<DoctorFinding[]> {
    const [first] = models;
    if (first === undefined) {
      await provider.models(signal);
      return [healthy(this.name, 'the provider answers')];
    }
    const missing: string[] = [];
    for (const model of models) {
      const isOffered = await provider.offers(model, signal);
      if (isOffered === undefined) return [healthy(this.name, 'the provider answers, but has no list of models')];
      if (!isOffered) missing.push(model);
    }
    const findings = missing.map((model) => finding('ai.model-unknown', `The provider does not offer ${model}`));
    return findings.length > 0 ? findings : [healthy(this.name, `the key is valid, and ${first} is offered`)];
  }

  /** In the order of the providers. */
  private async accesses(): Promise<Accesses> {
    const stored = await storedProviders(this.configuration, this.database);
    const accesses = new Map<AiProviderName, ProviderAccess>();
    for (const name of AI_PROVIDERS) {
      const access = stored.get(name) ?? environmentAccess(this.configuration, name);
      if (access) accesses.set(name, access);
    }
    return accesses;
  }

  /** Without a database, those of the environment's variables. */
  private async settings(accesses: Accesses): Promise<Settings['ai']> {
    const provider = defaultProvider([...accesses.keys()]);
    try {
      return (await liveSettings(this.configuration, this.database, provider)).ai;
    } catch (error) {
      if (!(error instanceof NotCheckable)) throw error;
      return defaultSettings({ provider, model: this.configuration.ai.model, ownerEmail: null }).ai;
    }
  }
}
