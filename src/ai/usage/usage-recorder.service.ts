import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import { Batcher } from '../../core/work/batcher';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import type { AiTokens } from '../provider/ai-provider.port';
import { RECORD, RECORD_HELD } from './usage.rows';

export interface BilledAnswer {
  environment: Environment;
  /** The answer counts in the hour of this moment. */
  at: Date;
  model: string;
  tokens: AiTokens;
  /** USD, stored with eight decimals. */
  cost: number;
  /** UUID of the calling API key; undefined for the gateway's own replies. */
  keyId?: string | undefined;
  /** UUID; null for a call that belongs to no conversation. */
  conversationId?: string | null;
  /** A budget has reserved the cost: if a crash of PostgreSQL undoes the bill, the reservation still counts as spent. */
  isHeld?: boolean;
}

interface Entry {
  answer: BilledAnswer;
  event?: DomainEvent;
}

/**
 * Records the bill and the events of its calls. Answers that end at the same time share one write and its
 * commit.
 */
@Injectable()
export class UsageRecorder {
  private readonly bills = new Batcher<Entry>((entries) => this.write(entries));
  /** A separate batch, because callers wait for bills but hardly ever for these. */
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
  async recordUnstored(answer: BilledAnswer): Promise<void> {
    await this.bills.add({ answer });
  }

  /** The parameters of `billAnswers`. */
  rows(entries: readonly Entry[]): [answers: string, events: string] {
    const answers = entries.map(
      ({ answer: { environment, at, model, tokens, cost, keyId: key, conversationId: conversation }, event }) => {
        const { input, output, cacheRead: cache_read, cacheWrite: cache_write } = tokens;
        const used = { input, output, cache_read, cache_write, cost: cost.toFixed(8) };
        return { environment, at, model, ...used, key, conversation, is_answer: event !== undefined };
      },
    );
    return [JSON.stringify(answers), eventRows(entries.flatMap(({ event }) => event ?? []))];
  }

  private write(entries: readonly Entry[]): Promise<unknown> {
    const isHeld = entries.every(({ answer }) => answer.isHeld);
    return this.database.query(isHeld ? RECORD_HELD : RECORD, this.rows(entries));
  }
}
