import type { AiRequest, AiTool, ModelProvider, ProviderConnection } from '../../../src/ai/provider/ai-provider.port';
import type { HttpFake } from '../../fakes/http-fake';

/** What both kinds of fakes can do beside faults. */
export interface FakeServer extends Pick<
  HttpFake<object>,
  'start' | 'stop' | 'fail' | 'clearFaults' | 'requests' | 'url'
> {
  streamPauseMs: number;
  models: readonly string[] | undefined;
  hold(): void;
  release(): void;
  waitForInFlight(count: number): Promise<void>;
  interruptStream(afterDeltas: number, errorStatus?: number): void;
}

/** An answer in words of no provider. */
export interface Scripted {
  text: string;
  tools?: { name: string; input: unknown }[];
  isRefusal?: boolean;
  /** Replaces the counts of the fake; null: the answer has none. */
  usage?: { input: unknown; output: unknown } | null;
}

/** What the fake got, in words of no provider. */
export interface Asked {
  system: string;
  /** Each message: its role and its parts. */
  messages: { role: string; text: string; images: number; documents: number; results: string[]; calls: string[] }[];
  tools: string[];
  temperature: number | undefined;
}

export interface ProviderHarness {
  fake: FakeServer;
  model: string;
  /** Of a model that refuses a temperature, as the server words it. */
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
