import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { fromPublicId, newUuid, toPublicId } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Handovers } from '../../conversations/handover/handovers.service';
import { Clock } from '../../core/clock/clock.service';
import { queryIn, Database, type Statement } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { Batcher } from '../../core/work/batcher';
import { Tracer } from '../../core/observability/tracing/tracer';
import { currentRequestId, noteIds } from '../../core/observability/tracing/work-context';
import type { OutboundDraft, OutboundMessage, PartRecord } from './outbound-message';
import { BillableLimit } from '../../billing/billable-limit.service';
import { GIVE_BACK } from '../../billing/billing.rows';
import { OUTBOUND_COLUMNS } from '../message.rows';
import { retryOnConflict } from '../retry-on-conflict';
import {
  ACCEPT,
  ACCEPT_WITH_ATTACHMENTS,
  EXTEND,
  FINISH,
  finishValues,
  FIRST_FENCE,
  MARK_ASSISTANT_WRITE,
  MARK_WRITE,
  partRows,
  PLATFORM_ID,
  POSTPONE,
  RECORD_PART,
  SCHEDULE_WITH_ATTACHMENTS,
  SCHEDULE,
  type AcceptedRow,
  type Outcome,
} from './outbound.rows';
import type { Repeat } from './repeats';

/** The parameters of `FINISH`, and its result. */
interface OutcomeRecord {
  id: string;
  values: unknown[];
  recorded: boolean;
}

/** The rows of outbound messages. */
@Injectable()
export class OutboundStore {
  /** One transaction for the outcomes of concurrent sends. It locks messages by ascending id, as receipts and erasures do. */
  private readonly outcomes = new Batcher<OutcomeRecord>((records) => this.write(records), { size: 32 });

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
    private readonly handovers: Handovers,
    private readonly directory: ConversationDirectory,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
    private readonly limit: BillableLimit,
  ) {}

  /**
   * Stores a message in one statement: as `pending`, leased to this process, or as `scheduled`, to be sent at `draft.sendAt`.
   * @param transaction its owner calls `BillableLimit.reserve`
   */
  async accept(draft: OutboundDraft, transaction?: EntityManager): Promise<OutboundMessage> {
    const { attachments = [], sendAt } = draft;
    let [prepared, values] = [sendAt ? SCHEDULE : ACCEPT, [] as unknown[]];
    if (attachments.length > 0) {
      prepared = sendAt ? SCHEDULE_WITH_ATTACHMENTS : ACCEPT_WITH_ATTACHMENTS;
      values = [attachments.map(({ id }) => fromPublicId('attachment', id)!)];
    }
    // A conflict ends the whole transaction, so only its owner can retry.
    const message = await (transaction
      ? this.insert(draft, prepared, values, transaction)
      : this.acceptWith(draft, prepared, values));
    return message!;
  }

  /** As `accept`, and a person takes the conversation over in the same transaction. */
  async acceptTakingOver(draft: OutboundDraft): Promise<OutboundMessage> {
    const { environment, recipient } = draft;
    const byColleague = { ...draft, options: { ...draft.options, by_colleague: true as const } };
    const { message, events } = await retryOnConflict(
      () =>
        this.dataSource.transaction(async (transaction) => {
          const accepted = await this.accept(byColleague, transaction);
          const conversation = await this.handovers.lock(transaction, environment, accepted.conversationId);
          const isTaken = conversation.handling !== 'human';
          const caused = isTaken ? await this.handovers.takeOver(transaction, conversation) : [];
          await this.limit.reserve(draft, transaction);
          return { message: accepted, events: caused };
        }),
      () => this.directory.forget(draft, recipient),
    );
    this.events.publish(events);
    return message;
  }

  /**
   * As `accept`, with a statement that does more.
   * @param values for its additional placeholders
   * @returns undefined if the condition of the statement did not hold
   * @throws RateLimitError when the day has no room for what it reserves
   */
  acceptWith(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
  ): Promise<OutboundMessage | undefined> {
    const { recipient } = draft;
    return retryOnConflict(
      () =>
        draft.options.reserved ? this.insertReserving(draft, prepared, values) : this.insert(draft, prepared, values),
      () => this.directory.forget(draft, recipient),
    );
  }

  private insertReserving(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
  ): Promise<OutboundMessage | undefined> {
    return this.dataSource.transaction(async (transaction) => {
      const message = await this.insert(draft, prepared, values, transaction);
      // The AI's answer is paid for already: room for one of its parts is enough.
      if (message) await this.limit.reserve(draft, transaction, draft.sentBy === 'assistant' ? 1 : undefined);
      return message;
    });
  }

  private async insert(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
    transaction?: EntityManager,
  ): Promise<OutboundMessage | undefined> {
    const { environment, platform, account, content, options, sentBy, ai } = draft;
    await this.directory.openTopic(draft, draft.recipient);
    const candidate = draft.conversationId ?? this.directory.candidate(draft, draft.recipient);
    const now = this.clock.now();
    const id = draft.id ?? newUuid(now);
    const traceparent = this.tracer.traceparent ?? null;
    const leasedAt = performance.now();
    const bound = [
      id,
      candidate,
      environment,
      platform,
      draft.recipient,
      new Date(now),
      account,
      ...OUTBOUND_COLUMNS.values({
        draft: { ...draft, requestId: draft.requestId ?? currentRequestId() },
        traceparent,
      }),
      ...values,
    ];
    const [row] = await (transaction
      ? queryIn<AcceptedRow>(transaction, prepared, bound)
      : this.database.query<AcceptedRow>(prepared, bound));
    if (!row) return undefined;
    const {
      id: conversationId,
      participant_id: recipient,
      participant_name: recipientName,
      address,
      last_inbound_at: lastInboundAt,
    } = row;
    noteIds({ message_id: toPublicId('message', id), conversation_id: toPublicId('conversation', conversationId) });
    this.directory.remember(draft, draft.recipient, { id: conversationId, participantId: recipient });
    return {
      id,
      environment,
      platform,
      account,
      conversationId,
      recipient,
      recipientName,
      address,
      lastInboundAt,
      content,
      attachments: draft.attachments ?? [],
      options,
      sentBy,
      ai: ai ?? null,
      fence: FIRST_FENCE,
      repeats: [],
      leasedAt,
      traceparent,
    };
  }

  async platformIdOf(messageId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ id: string }>(PLATFORM_ID, [messageId]);
    return row?.id;
  }

  /** Call it before the first byte of a message goes out. @returns whether this process still holds it, and may send it */
  async markWriteStarted({ id, fence, sentBy }: OutboundMessage): Promise<'held' | 'lost' | 'taken over'> {
    const prepared = sentBy === 'assistant' ? MARK_ASSISTANT_WRITE : MARK_WRITE;
    const [held] = await this.database.query<{ taken_over?: boolean }>(prepared, [id, fence]);
    if (!held) return 'lost';
    return held.taken_over ? 'taken over' : 'held';
  }

  /** @returns whether this process still holds the message */
  async extend({ id, fence }: OutboundMessage): Promise<boolean> {
    return (await this.database.query(EXTEND, [id, fence])).length > 0;
  }

  /**
   * Records the outcome of one part, so that a process that takes over sends only the other parts.
   * @returns whether this process still holds the message
   */
  async recordPart({ id, fence, environment, platform, account }: OutboundMessage, part: PartRecord): Promise<boolean> {
    const values = [id, fence, environment, platform, this.clock.date(), partRows([part]), account];
    return (await this.database.query(RECORD_PART, values)).length > 0;
  }

  /** @returns false when another process has taken the message over: its record counts, not ours */
  async finish(message: OutboundMessage, outcome: Outcome): Promise<boolean> {
    const events = eventRows(outcome.events);
    const record: OutcomeRecord = {
      id: message.id,
      values: finishValues(message, outcome, this.clock.date(), events),
      recorded: false,
    };
    const { code } = outcome.failure ?? {};
    // The platform may bill an ambiguous message, so that keeps its reservation.
    if (message.options.reserved && code !== undefined && code !== 'ambiguous') await this.finishUnsent(record);
    else await this.outcomes.add(record);
    if (record.recorded) this.events.publish(outcome.events);
    return record.recorded;
  }

  /** Gives back the reservation of parts that were not sent. */
  private async finishUnsent(record: OutcomeRecord): Promise<void> {
    await this.database.transaction(async (client) => {
      const [row] = await this.database.query<{ recorded: boolean }>(FINISH, record.values, client);
      if (row!.recorded) await this.database.query(GIVE_BACK, [[record.id]], client);
      record.recorded = row!.recorded;
    });
  }

  private async write(records: readonly OutcomeRecord[]): Promise<void> {
    const ordered = records.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const sets = ordered.map(({ values }) => values);
    const results = await this.database.together<{ recorded: boolean }>(FINISH, sets);
    results.forEach(([row], index) => (ordered[index]!.recorded = row!.recorded));
  }

  /**
   * Releases the lease; the remaining parts are sent after `delayMs`.
   * @param repeats all so far; null: no new ones since they were stored
   */
  async postpone({ id, fence }: OutboundMessage, delayMs: number, repeats: readonly Repeat[] | null): Promise<void> {
    await this.database.query(POSTPONE, [id, fence, Math.ceil(delayMs), repeats ? JSON.stringify(repeats) : null]);
  }
}
