import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { bareEvent, eventValues, storeEvents, type BareEvent } from './bare-events';
import type { ProviderAnswer } from './bare-provider';

/** One row per answer: to update a shared sum, answers would wait for each other's row lock. */
export const BILL_SCHEMA = `
  CREATE TABLE bill (
    id uuid PRIMARY KEY, at timestamptz NOT NULL, model text NOT NULL, input int NOT NULL, output int NOT NULL, cost numeric NOT NULL
  )`;

const ANNOUNCE = { name: 'announce', text: `WITH ${storeEvents(1, 'true')} SELECT 1` };

/** A common table expression that bills an answer. @param first number of the first parameter of `billValues` */
export function insertBill(first: number, from = ''): string {
  const values = Array.from({ length: 6 }, (_, index) => `$${first + index}`);
  const types = ['uuid', 'timestamptz', 'text', 'int', 'int', 'numeric'];
  return `bill AS (INSERT INTO bill SELECT ${values.map((value, index) => `${value}::${types[index]}`).join(', ')} ${from})`;
}

const RECORD = { name: 'record', text: `WITH ${insertBill(1)}, ${storeEvents(7, 'true')} SELECT 1` };

/** USD per million tokens of the bench's model. */
const PRICES = { input: 2, output: 10 };

export interface BilledCall {
  /** UUID. */
  requestId: string;
  /** UUID, if the call belongs to a conversation. */
  conversationId?: string;
}

export function billValues({ model, tokens }: ProviderAnswer, at: Date): unknown[] {
  return [newUuid(at.getTime()), at, model, tokens.input, tokens.output, costOf(tokens)];
}

export function responseEvent(call: BilledCall, { model, tokens, latencyMs }: ProviderAnswer, at: Date): BareEvent {
  const data = { ...callData(call), model, tokens, latency_ms: latencyMs, cost_usd: costOf(tokens) };
  return bareEvent('ai.response', at, data);
}

/** Stores the events and the bill of calls to the provider. */
export class BareBill {
  constructor(private readonly pool: Pool) {}

  /** Stores the event of a call that begins. */
  async announce(call: BilledCall, model: string): Promise<void> {
    const at = new Date();
    const event = bareEvent('ai.request', at, { ...callData(call), model, context_messages: 1 });
    await this.pool.query({ ...ANNOUNCE, values: eventValues([event], at) });
  }

  async record(call: BilledCall, answer: ProviderAnswer): Promise<void> {
    const at = new Date();
    const events = eventValues([responseEvent(call, answer, at)], at);
    await this.pool.query({ ...RECORD, values: [...billValues(answer, at), ...events] });
  }
}

function costOf({ input, output }: ProviderAnswer['tokens']): number {
  return (input * PRICES.input + output * PRICES.output) / 1_000_000;
}

function callData({ requestId, conversationId }: BilledCall) {
  return {
    request_id: toPublicId('request', requestId),
    conversation_id: conversationId === undefined ? null : toPublicId('conversation', conversationId),
  };
}
