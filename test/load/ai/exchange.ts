/** The exchange with the provider that every contender makes. */
export const MODEL = 'claude-sonnet-5-5';
export const MESSAGE = 'When do you open tomorrow, and may I bring my dog?';
export const ANSWER = 'We open at nine. Dogs are welcome in every room but the kitchen.';

export const PROVIDER_KEY = 'sk-ant-bench';
/** Much shorter than a real model's, so that the added latency is a large part of the total. */
export const PROVIDER_DELAY_MS = 20;

export interface ProviderMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** A request in the provider's format. */
export function providerRequest(messages: readonly ProviderMessage[]) {
  return {
    path: '/v1/messages',
    method: 'POST' as const,
    headers: { 'x-api-key': PROVIDER_KEY, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_tokens: 1024, messages }),
  };
}
