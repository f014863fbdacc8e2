import { Pool } from 'undici';
import { providerRequest, type ProviderMessage } from '../ai/exchange';

export interface ProviderAnswer {
  text: string;
  model: string;
  tokens: { input: number; output: number };
  latencyMs: number;
}

interface AnswerBody {
  model: string;
  content: { type: string; text: string }[];
  usage: { input_tokens: number; output_tokens: number };
}

/** Calls the provider, without retries and fallbacks. */
export class BareProvider {
  private readonly pool: Pool;

  /** @param connections maximum of concurrent calls */
  constructor(url: string, connections: number) {
    this.pool = new Pool(url, { connections, pipelining: 1 });
  }

  /** @throws unless the provider answers 200 */
  async ask(messages: readonly ProviderMessage[]): Promise<ProviderAnswer> {
    const startedAt = performance.now();
    const { statusCode, body } = await this.pool.request(providerRequest(messages));
    const { model, content, usage } = (await body.json()) as AnswerBody;
    if (statusCode !== 200) throw new Error(`The provider answered ${statusCode}`);
    return {
      text: content[0]!.text,
      model,
      tokens: { input: usage.input_tokens, output: usage.output_tokens },
      latencyMs: Math.round(performance.now() - startedAt),
    };
  }
}
