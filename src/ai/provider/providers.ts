import type { AiProviderName } from '#contracts';
import { providersOfEnvironment } from '../../core/config/ai-access';
import type { Configuration } from '../../core/config/configuration';
import type { MakeProvider, ProviderAccess } from './ai-provider.port';

interface ProviderEntry {
  /** Loads its SDK, which takes 20 MB and more, only if the provider is used. */
  load: () => Promise<MakeProvider>;
  /** The variable that is missing if the provider is not configured. */
  variable: string;
}

/** One line for each provider. */
export const PROVIDERS: Readonly<Record<AiProviderName, ProviderEntry>> = {
  anthropic: {
    load: async () => (await import('./anthropic/anthropic.provider.js')).makeProvider,
    variable: 'ANTHROPIC_API_KEY',
  },
  openai: {
    load: async () => (await import('./openai/openai.provider.js')).makeProvider,
    variable: 'OPENAI_API_KEY',
  },
};

/** How the operator's environment reaches a provider; undefined: it does not. */
export function environmentAccess(configuration: Configuration, name: AiProviderName): ProviderAccess | undefined {
  return providersOfEnvironment(configuration).includes(name) ? configuration.ai.providers[name] : undefined;
}
