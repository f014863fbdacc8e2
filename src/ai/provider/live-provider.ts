import type { Provider } from '@nestjs/common';
import { Configuration } from '../../core/config/configuration';
import type { AiProvider } from './ai-provider.port';
import { UnconfiguredProvider } from './unconfigured.provider';

/** The provider for live keys and people. */
export const LIVE_PROVIDER = Symbol('LIVE_PROVIDER');

/** Loads the SDK, which takes 20 MB, only if its key is set. */
export const liveProvider: Provider<AiProvider> = {
  provide: LIVE_PROVIDER,
  inject: [Configuration],
  useFactory: async ({ ai: { apiKey, baseUrl } }: Configuration) => {
    if (apiKey === undefined) return new UnconfiguredProvider();
    const { AnthropicProvider } = await import('./anthropic/anthropic.provider.js');
    return new AnthropicProvider({ apiKey, baseUrl });
  },
};
