import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { COMMIT_WITHOUT_WAITING, Database, statement } from '../../core/database/database.service';
import { Batcher } from '../../core/work/batcher';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import type { AiTokens } from '../provider/ai-provider.port';

/**
 * The common table expressions that add answers to their hours and store events: the bill and the events agree. Every
 * instance uses the same order, so that two of them never deadlock.
 * @param answers placeholder of the first parameter that `rows` makes, `events` that of the second
 * @param condition SQL that must hold for the events to be stored; what the provider bills is on the bill in any case
 */
export const billAnswers = (answers: string, events: string, condition?: string) => `answer AS (
    SELECT * FROM json_to_recordset(${answers}::json) AS a(environment environment, at timestamptz, model text, input bigint,
      output bigint, cache_read bigint, cache_write bigint, cost numeric, key uuid, is_answer boolean)
  ),
  usage AS (
    INSERT INTO ai_usage AS u (environment, hour, model, requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
      answered_at)
    SELECT environment, date_trunc('hour', at, 'UTC') AS hour, model, count(*), sum(input), sum(output), sum(cache_read),
      sum(cache_write), sum(cost), max(at) FILTER (WHERE is_answer)
    FROM answer GROUP BY environment, hour, model ORDER BY environment, hour, model
    ON CONFLICT (environment, hour, model) DO UPDATE SET
      requests = u.requests + excluded.requests,
      input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens,
      cache_read_tokens = u.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
      cost_usd = u.cost_usd + excluded.cost_usd,
      answered_at = greatest(u.answered_at, excluded.answered_at)
  ),
  ${insertEvents(events, condition)}`;

/** Only a client's request has a key: the statement of a reply goes without this. */
const BILL = `${billAnswers('$1', '$2')},
  of_key AS (
    INSERT INTO ai_key_usage AS k (api_key_id, hour, model, requests, input_tokens, output_tokens, cost_usd)
    SELECT key, date_trunc('hour', at, 'UTC') AS hour, model, count(*), sum(input), sum(output), sum(cost)
    FROM answer WHERE key IS NOT NULL GROUP BY key, hour, model ORDER BY key, hour, model
    ON CONFLICT (api_key_id, hour, model) DO UPDATE SET
      requests = k.requests + excluded.requests,
      input_tokens = k.input_tokens + excluded.input_tokens,
      output_tokens = k.output_tokens + excluded.output_tokens,
      cost_usd = k.cost_usd + excluded.cost_usd
  )`;
const RECORD = statement('ai-usage-record', `WITH ${BILL} SELECT 1`);
/** As fast as its round trip: the answer goes out before the disk has the bill (ADR 23). */
const RECORD_HELD = statement('ai-usage-record-held', `WITH ${BILL} SELECT ${COMMIT_WITHOUT_WAITING}`);

/** One answer of the provider on the bill. */
export interface BilledAnswer {
  environment: Environment;
  /** The answer counts in the hour of this moment. */
  at: Date;
  model: string;
  tokens: AiTokens;
  /** USD, stored with eight decimals. */
  cost: number;
  /** UUID of the key that asked; undefined: none did. */
  keyId?: string | undefined;
  /** A budget has reserved what it costs: a crash of PostgreSQL that undoes the bill leaves that as spent. */
  isHeld?: boolean;
}

interface Entry {
  answer: BilledAnswer;
  event?: DomainEvent;
}

/**
 * Records the bill and the events of its calls. All answers of an hour and model share a row, so each would wait for the
 * commit of the one before it: the recorder writes simultaneous ones in one batch.
 */
@Injectable()
export class UsageRecorder {
  private readonly bills = new Batcher<Entry>((entries) => this.write(entries));
  /** A separate batch: callers wait for a bill, and hardly ever for these. */
  private readonly requests = new Batcher<DomainEvent>((events) => this.events.store(events));

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
  ) {}

  /** Resolves once `ai.request` is committed, before any later record of this instance. */
  async announce(event: DomainEvent<'ai.request'>): Promise<void> {
    await this.requests.add(event);
    this.events.publish([event]);
  }

  /** Resolves when the answer is on the bill and its event stored. The caller publishes the event. */
  async record(event: DomainEvent<'ai.response'>, answer: BilledAnswer): Promise<void> {
    await this.bills.add({ event, answer });
  }

  /** Bills tokens without an answer: a stream that broke off, an answer without text. */
  async recordWaste(answer: BilledAnswer): Promise<void> {
    await this.bills.add({ answer });
  }

  /** The parameters of `billAnswers`. */
  rows(entries: readonly Entry[]): [answers: string, events: string] {
    const answers = entries.map(({ answer, event }) => ({ ...toRow(answer), is_answer: event !== undefined }));
    return [JSON.stringify(answers), this.events.rows(entries.flatMap(({ event }) => event ?? []))];
  }

  private write(entries: readonly Entry[]): Promise<unknown> {
    const isHeld = entries.every(({ answer }) => answer.isHeld);
    return this.database.query(isHeld ? RECORD_HELD : RECORD, this.rows(entries));
  }
}

function toRow({ environment, at, model, tokens, cost, keyId: key }: BilledAnswer) {
  const { input, output, cacheRead: cache_read, cacheWrite: cache_write } = tokens;
  return { environment, at, model, input, output, cache_read, cache_write, cost: cost.toFixed(8), key };
}
