import { AiProviderError } from './ai-provider.error';
import type { AiCompletion, AiProvider, AiStreamEvent } from './ai-provider.port';

/** Stands in while no key is configured: every call fails with `not_configured`. */
export class UnconfiguredProvider implements AiProvider {
  readonly name = 'anthropic';
  readonly billable = true;

  complete(): Promise<AiCompletion> {
    return Promise.reject(notConfigured());
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator
  async *stream(): AsyncGenerator<AiStreamEvent, void, undefined> {
    throw notConfigured();
  }
}

function notConfigured(): AiProviderError {
  return new AiProviderError('not_configured', 'No AI provider is configured: ANTHROPIC_API_KEY is not set', {
    retryable: false,
  });
}
