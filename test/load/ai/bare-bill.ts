import type { Pool } from 'pg';
import { toPublicId } from '#contracts';
import { RECORD } from '../../../src/ai/usage/usage-recorder.service';
import { STORE } from '../../../src/core/events/domain-events.service';
import { eventRow } from '../bare-events';

export interface Billed {
  model: string;
  input: number;
  output: number;
  latencyMs: number;
}

/** USD per million tokens, of the one model that the bench asks. */
const PRICES = { input: 2, output: 10 };
const ENVIRONMENT = 'live';

/** The bill and the events of the gateway's own statements: both write the same rows. */
export class BareBill {
  constructor(private readonly pool: Pool) {}

  /** What becomes of a request is told from its beginning on. */
  async announce(requestId: string, model: string): Promise<void> {
    const data = { ...callData(requestId), model, context_messages: 1 };
    const event = eventRow('ai.request', new Date(), data, ENVIRONMENT);
    await this.pool.query({ ...STORE, values: [JSON.stringify([event])] });
  }

  async record(requestId: string, { model, input, output, latencyMs }: Billed): Promise<void> {
    const at = new Date();
    const cost = (input * PRICES.input + output * PRICES.output) / 1_000_000;
    const answer = { environment: ENVIRONMENT, at, model, input, output, cache_read: 0, cache_write: 0, cost };
    const data = { ...callData(requestId), model, tokens: { input, output }, latency_ms: latencyMs, cost_usd: cost };
    const event = eventRow('ai.response', at, data, ENVIRONMENT);
    await this.pool.query({ ...RECORD, values: [JSON.stringify([answer]), JSON.stringify([event])] });
  }
}

function callData(requestId: string) {
  return { environment: ENVIRONMENT, request_id: toPublicId('request', requestId), conversation_id: null };
}
