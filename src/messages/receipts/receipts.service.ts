import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { MESSAGE_TRANSITIONS, toPublicId, type AccountKey } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { MarketingPreferences } from '../../conversations/marketing/marketing-preferences.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Batcher } from '../../core/work/batcher';
import { Timers } from '../../core/work/timers/timers.service';
import { Tracer, type TraceSpan } from '../../core/observability/tracing/tracer';
import { runIn } from '../../core/observability/tracing/work-context';
import type { Receipt } from '../../integrations/inbound/inbound-handler.port';
import { toAttachments } from '../../media/message-attachments.rows';
import { BillingRecorder } from '../../billing/billing.service';
import { deliveredEvent, failedEvent, readEvent } from '../send/outbound-events';
import { partsAfter, receiptOutcome, type ReceiptOutcome } from './receipt-outcome';
import { ReceiptsStore, type Arrival, type MessageChange } from './receipts-store.service';
import type { FoundPart, PartReceipt, ReceiptMessageRow } from './receipts.rows';

/** How often to search for receipts that arrived before the record of their send and that a crash left unapplied. */
const SEARCH_MS = 10_000;
const BATCH = 100;

/** An arrival whose part is known. */
interface ArrivedForPart extends Arrival {
  part: FoundPart;
}

/**
 * Applies receipts to outbound messages. Receipts come in any order and any number of times. A receipt that arrives before the
 * record of its send waits in `early_receipts`. The receiver of the receipt and the sender of the message both write first and
 * then look for the other's row, so that at least one of them sees both. If that one crashes, a periodic job applies the receipt.
 */
@Injectable()
export class Receipts {
  /** In batches: platforms send three receipts for a message, and most of them change the same row of the usage. */
  private readonly arrivals = new Batcher<Arrival>((arrivals) => this.take(arrivals), { size: BATCH });

  constructor(
    private readonly store: ReceiptsStore,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
    private readonly billing: BillingRecorder,
    private readonly marketing: MarketingPreferences,
    private readonly accounts: Accounts,
    timers: Timers,
  ) {
    timers.every('The search for receipts that came before their send', SEARCH_MS, () => this.settleBatch());
  }

  /** Resolves once the receipt is durable. */
  async receive({ environment, platform, account }: AccountKey, receipt: Receipt): Promise<void> {
    // The send itself records `sent` when the platform accepts the message; such a receipt only adds the price.
    if (receipt.status === 'sent' && !receipt.pricing) return;
    await this.arrivals.add({ environment, platform, account, receipt });
  }

  /** Applies the receipts that arrived before the record of a send. Call it once the send is recorded. */
  async applyEarly(messageId: string): Promise<void> {
    if (await this.store.hasEarly(messageId)) await this.settle([], [messageId]);
  }

  private async settleBatch(): Promise<boolean> {
    const left = await this.store.left(BATCH);
    for (const id of left) await this.settle([], [id]);
    return left.length === BATCH;
  }

  private async take(arrivals: readonly Arrival[]): Promise<void> {
    const parts = await this.store.find(arrivals);
    const early = arrivals.filter((_, index) => !parts[index]);
    await this.store.keep(early);
    const recorded = await this.store.find(early);
    await this.settle(
      arrivals.flatMap((arrival, index) => (parts[index] ? { ...arrival, part: parts[index] } : [])),
      recorded.flatMap((part) => part?.message_id ?? []),
    );
  }

  /**
   * Applies receipts to the parts and then to the messages, in one transaction. Only one at a time runs for a message, so
   * that each event is created once. Receipts of a pending message wait for the record of its send. Locks are taken in the order
   * of sends: messages by their ids, parts, then the rows that messages share.
   * @param early messages whose receipts in `early_receipts` are applied
   */
  private async settle(arrived: readonly ArrivedForPart[], early: readonly string[]): Promise<void> {
    const ids = [...new Set([...arrived.map(({ part }) => part.message_id), ...early])].toSorted();
    if (ids.length === 0) return;
    let refused: string[] = [];
    const events = await this.database.transaction(async (client) => {
      const locked = await this.store.lock(ids, client);
      const recorded = new Map(locked.filter(({ status }) => status !== 'pending').map((row) => [row.id, row]));
      const pending = new Set(locked.filter(({ status }) => status === 'pending').map(({ id }) => id));
      await this.store.keep(
        arrived.filter(({ part }) => pending.has(part.message_id)),
        client,
      );
      const taken = await this.store.takeEarly(
        early.filter((id) => recorded.has(id)),
        client,
      );
      const receipts = [...arrived.map(partReceipt), ...taken].filter((receipt) => recorded.has(receipt.message_id));
      refused = receipts.flatMap(({ message_id, failure }) =>
        failure?.code === 'opted_out' ? [recorded.get(message_id)!.conversation_id] : [],
      );
      const caused = await this.apply([...recorded.values()], receipts, client);
      await this.billing.record(
        receipts.map((receipt) => ({ ...recorded.get(receipt.message_id)!, ...receipt })),
        client,
      );
      return caused;
    });
    this.events.publish(events);
    // If it fails, the platform delivers the receipts again.
    await this.marketing.refused(refused);
  }

  /** @returns the events that it stored */
  private async apply(
    messages: readonly ReceiptMessageRow[],
    receipts: readonly PartReceipt[],
    client: PoolClient,
  ): Promise<DomainEvent[]> {
    const ids = messages.map(({ id }) => id);
    const partsOf = Map.groupBy(await this.store.parts(ids, client), (part) => part.message_id);
    const receiptsOf = Map.groupBy(receipts, (receipt) => receipt.message_id);
    const settled = messages.map((message) => {
      const { parts, changed } = partsAfter(partsOf.get(message.id) ?? [], receiptsOf.get(message.id) ?? []);
      return { changed, change: this.advance(message, receiptOutcome(parts)) };
    });
    const changes = settled.flatMap(({ change }) => change ?? []);
    try {
      await this.store.updateParts(
        settled.flatMap(({ changed }) => changed),
        client,
      );
      await this.store.updateMessages(changes, client);
      return changes.flatMap(({ events }) => events);
    } finally {
      for (const { span } of changes) span.end();
    }
  }

  private advance(
    message: ReceiptMessageRow,
    outcome: ReceiptOutcome | undefined,
  ): (MessageChange & { span: TraceSpan }) | undefined {
    if (!outcome || !advances(message, outcome)) return undefined;
    const ids = { message_id: toPublicId('message', message.id) };
    const parent = message.traceparent;
    const span = this.tracer.start(`receipt ${message.platform}`, { kind: 'consumer', parent, ids });
    return { ...runIn(span.context, () => this.consequence(message, outcome)), span };
  }

  private consequence(message: ReceiptMessageRow, outcome: ReceiptOutcome): MessageChange {
    const { id } = message;
    const told = {
      id,
      environment: message.environment,
      platform: message.platform,
      account: message.account,
      conversationId: message.conversation_id,
      recipient: message.participant_id,
      recipientName: message.participant_name,
      attachments: toAttachments(message.attachments),
    };
    const account = this.accounts.shown(message);
    const events: DomainEvent[] = [];
    if (outcome.status === 'failed') {
      const event = failedEvent(told, account, outcome.failure, this.clock.date());
      events.push(this.events.create('message.failed', event));
      const { delivered_at: deliveredAt, read_at: readAt } = message;
      return { id, status: outcome.status, failure: outcome.failure, deliveredAt, readAt, events };
    }
    // Receipts carry whole seconds: without a floor, a message could be delivered before it was sent.
    const deliveredAt = message.delivered_at ?? latest(outcome.deliveredAt, message.sent_at);
    const readAt = message.read_at ?? (outcome.readAt && latest(outcome.readAt, deliveredAt));
    if (message.status !== 'delivered')
      events.push(this.events.create('message.delivered', deliveredEvent(told, account, deliveredAt, 'device')));
    if (readAt && !message.read_at) events.push(this.events.create('message.read', readEvent(told, account, readAt)));
    return { id, status: outcome.status, failure: null, deliveredAt, readAt, events };
  }
}

function partReceipt({ part, receipt }: ArrivedForPart): PartReceipt {
  const { status, at, failure = null, pricing = null } = receipt;
  return { ...part, status, at, failure, pricing };
}

function advances({ status, read_at: readAt }: ReceiptMessageRow, outcome: ReceiptOutcome): boolean {
  if (MESSAGE_TRANSITIONS[status].includes(outcome.status)) return true;
  return status === 'delivered' && outcome.status === 'delivered' && outcome.readAt !== null && readAt === null;
}

function latest(first: Date, second: Date | null): Date {
  return second && second > first ? second : first;
}
