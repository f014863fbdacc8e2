import type { AiRequest, AiTool, ModelProvider, ProviderConnection } from '../../../src/ai/provider/ai-provider.port';
import type { AnthropicFake } from '../../fakes/anthropic.fake';
import type { OpenAiFake } from '../../fakes/openai.fake';

/** An answer in words of no provider. */
export interface Scripted {
  text: string;
  tools?: { name: string; input: unknown }[];
  isRefusal?: boolean;
  /** Replaces the counts of the fake; null: the answer has none. */
  usage?: { input: unknown; output: unknown } | null;
}

/** The request that the fake got, in words of no provider. */
export interface Asked {
  system: string;
  /** Each message: its role and its parts. */
  messages: { role: string; text: string; images: number; documents: number; results: string[]; calls: string[] }[];
  tools: string[];
  temperature: number | undefined;
}

export interface ProviderHarness {
  fake: AnthropicFake | OpenAiFake;
  model: string;
  /** Makes the model refuse a temperature, in the server's words. */
  noTemperature: () => void;
  connection: () => ProviderConnection;
  make: (connection: ProviderConnection) => ModelProvider;
  reply: (scripted: Scripted) => void;
  asked: () => Asked;
  /** A 200 without an answer in it. */
  empty: object;
  readsDocuments: boolean;
  /** Lets the provider meet what the server refuses. */
  learn?: (provider: ModelProvider, request: AiRequest) => Promise<void>;
}

export const TOOL: AiTool = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};
