import { Injectable } from '@nestjs/common';
import { AI_PROVIDERS, modelNamed, type Environment } from '#contracts';
import { SettingsService } from '../core/settings/settings.service';
import type { IgnoredParameter, ProviderName } from './provider/ai-provider.port';
import { LiveProviders } from './provider/live-providers.service';
import { togetherStatus, type AiStatus } from './provider/provider-health';
import { modelsOfSettings, providerOf } from './request-by-settings';

/** Which providers answer in an environment, and how well. */
@Injectable()
export class AiHealth {
  constructor(
    private readonly live: LiveProviders,
    private readonly settings: SettingsService,
  ) {}

  /** The provider of the model of the settings. */
  provider(environment: Environment): ProviderName {
    return providerOf(environment, modelsOfSettings(this.settings.of(environment).ai)[0]!);
  }

  isConfigured(environment: Environment): boolean {
    return environment === 'test' || this.live.configured.length > 0;
  }

  /** Whether the provider of the settings' model has a key, or needs none. */
  canAnswer(environment: Environment): boolean {
    const { provider } = modelNamed(modelsOfSettings(this.settings.of(environment).ai)[0]!);
    return environment === 'test' || this.live.isConfigured(provider);
  }

  /** The health of the providers of the settings' models together: a fallback may answer for a provider that fails. */
  status(environment: Environment): AiStatus {
    if (environment === 'test') return 'available';
    const models = modelsOfSettings(this.settings.of(environment).ai);
    return togetherStatus(models.map((model) => this.live.health(modelNamed(model).provider).status));
  }

  /** The health of each provider by itself: those that are configured, and that of the settings. */
  statuses(environment: Environment): { name: ProviderName; status: AiStatus }[] {
    if (environment === 'test') return [{ name: 'sandbox', status: 'available' }];
    const own = this.provider(environment);
    const shown = AI_PROVIDERS.filter((name) => name === own || this.live.isConfigured(name));
    return shown.map((name) => ({ name, status: this.live.health(name).status }));
  }

  /** Parameters that models have refused since the process started. */
  ignored(environment: Environment): IgnoredParameter[] {
    return environment === 'test' ? [] : this.live.ignored;
  }
}
