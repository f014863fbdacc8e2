import type { AiProviderName } from '#client';

export const PROVIDER_NAMES: Readonly<Record<AiProviderName, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI, or a server that speaks Chat Completions',
};

export const SOURCES: Readonly<Record<'environment' | 'api', string>> = {
  environment: 'The key is in the gateway’s environment.',
  api: 'The key was set here or by the API.',
};
