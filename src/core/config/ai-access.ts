import { AI_PROVIDERS, type AiProviderName } from '#contracts';
import type { Configuration } from './configuration';

/** A server of the operator's own that speaks Chat Completions may need no key. */
const WITHOUT_KEY: ReadonlySet<AiProviderName> = new Set(['openai']);

/** The AI providers that the environment names. */
export function providersOfEnvironment({ ai }: Configuration): AiProviderName[] {
  return AI_PROVIDERS.filter((name) => {
    const { apiKey, baseUrl } = ai.providers[name];
    return apiKey !== undefined || (baseUrl !== undefined && WITHOUT_KEY.has(name));
  });
}

/** The provider of the settings until they name one: Anthropic, unless only another one is configured. */
export function defaultProvider(configured: readonly AiProviderName[]): AiProviderName {
  return configured[0] ?? 'anthropic';
}
