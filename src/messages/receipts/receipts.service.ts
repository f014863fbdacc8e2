import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { MESSAGE_TRANSITIONS, PART_TRANSITIONS, toPublicId, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Timers } from '../../core/work/timers/timers.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import type { Receipt } from '../../integrations/inbound/inbound-handler.port';
import { toAttachments } from '../../media/message-attachments.rows';
import { BillingRecorder } from '../billing/billing.service';
import { deliveredEvent, failedEvent } from '../outbound/outbound-events';
import { partAfter, receiptOutcome, type ReceiptOutcome } from './receipt-outcome';
import { ReceiptsStore } from './receipts-store.service';
import type { PartReceipt, ReceiptMessageRow } from './receipts.rows';

/** After a send, receipts that came before its record are applied at once; after a crash in between, this often. */
const SEARCH_MS = 10_000;
const BATCH = 100;

/**
 * Applies receipts to outbound messages. Receipts come in any order and any number of times. One that arrives before the
 * record of its send waits in `early_receipts`. Both sides write first and look for the other's row afterwards, so that
 * one of them sees both, whatever the timing; a periodic job finds what a crash of that one left.
 */
@Injectable()
export class Receipts {
  constructor(
    private readonly store: ReceiptsStore,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
    private readonly billing: BillingRecorder,
    timers: Timers,
  ) {
    timers.every('The search for receipts that came before their send', SEARCH_MS, () => this.settleBatch());
  }

  /** Resolves once the receipt is durable. */
  async receive(environment: Environment, platform: Platform, receipt: Receipt): Promise<void> {
    // The platform's acceptance makes a message `sent`, and the send records it.
    if (receipt.status === 'sent' && !receipt.pricing) return;
    const part = await this.store.find(environment, platform, receipt.platformMessageId);
    if (part) {
      await this.billing.record({ environment, platform }, receipt, part);
      if (!PART_TRANSITIONS[part.status].includes(receipt.status)) return;
      return this.settle(part.message_id, { part_index: part.part_index, receipt });
    }
    await this.store.keep(environment, platform, receipt);
    const recorded = await this.store.find(environment, platform, receipt.platformMessageId);
    if (recorded) await this.settle(recorded.message_id);
  }

  /** Applies the receipts that arrived before the record of a send. Call it once the send is recorded. */
  async settleEarly(messageId: string): Promise<void> {
    if (await this.store.hasEarly(messageId)) await this.settle(messageId);
  }

  private async settleBatch(): Promise<boolean> {
    const left = await this.store.left(BATCH);
    for (const id of left) await this.settle(id);
    return left.length === BATCH;
  }

  /**
   * Applies receipts to the parts and then to the message, in one transaction. Only one at a time runs for a message, so
   * that each event is created once. Receipts of a pending message wait for the record of its send.
   * @param arrived default: those that wait for the message in `early_receipts`
   */
  private async settle(messageId: string, arrived?: { part_index: number; receipt: Receipt }): Promise<void> {
    const events = await this.database.transaction(async (client) => {
      const message = await this.store.lock(messageId, client);
      if (!message) return [];
      if (message.status === 'pending') {
        if (arrived) await this.store.keep(message.environment, message.platform, arrived.receipt, client);
        return [];
      }
      const parts = await this.store.parts(messageId, client);
      const receipts = arrived ? [partReceipt(arrived)] : await this.store.takeEarly(messageId, client);
      for (const receipt of receipts) {
        const index = parts.findIndex((part) => part.part_index === receipt.part_index);
        const changed = parts[index] && partAfter(parts[index], receipt);
        if (!changed) continue;
        parts[index] = changed;
        await this.store.updatePart(messageId, changed, client);
      }
      const caused = await this.advance(message, receiptOutcome(parts), client);
      // Last, because messages of many conversations share the rows of usage.
      if (!arrived) {
        const { participant_id } = message;
        const priced = receipts.map(({ pricing, ...receipt }) => ({
          ...receipt,
          pricing: pricing ?? undefined,
          message_id: messageId,
          participant_id,
        }));
        await this.billing.recordIn(client, message, priced);
      }
      return caused;
    });
    this.events.publish(events);
  }

  /** @returns the events that it stored */
  private async advance(
    message: ReceiptMessageRow,
    outcome: ReceiptOutcome | undefined,
    client: PoolClient,
  ): Promise<DomainEvent[]> {
    if (!outcome || !advances(message, outcome)) return [];
    const ids = { message_id: toPublicId('message', message.id) };
    const span = { kind: 'consumer', parent: message.traceparent, ids } as const;
    return this.tracer.run(`receipt ${message.platform}`, span, async () => {
      const { change, caused } = this.consequence(message, outcome);
      await this.store.updateMessage(message.id, change, caused, client);
      return caused;
    });
  }

  private consequence(message: ReceiptMessageRow, outcome: ReceiptOutcome) {
    const told = {
      id: message.id,
      environment: message.environment,
      platform: message.platform,
      conversationId: message.conversation_id,
      recipient: message.participant_id,
      recipientName: message.participant_name,
      attachments: toAttachments(message.attachments),
    };
    const caused: DomainEvent[] = [];
    if (outcome.status === 'failed') {
      const event = failedEvent(told, outcome.failure, this.clock.date());
      caused.push(this.events.create('message.failed', event));
      const { delivered_at: deliveredAt, read_at: readAt } = message;
      return { change: { status: outcome.status, failure: outcome.failure, deliveredAt, readAt }, caused };
    }
    // Receipts carry whole seconds: without a floor, a message could be delivered before it was sent.
    const deliveredAt = message.delivered_at ?? latest(outcome.deliveredAt, message.sent_at);
    const readAt = message.read_at ?? (outcome.readAt && latest(outcome.readAt, deliveredAt));
    if (message.status !== 'delivered')
      caused.push(this.events.create('message.delivered', deliveredEvent(told, deliveredAt, 'device')));
    return { change: { status: outcome.status, failure: null, deliveredAt, readAt }, caused };
  }
}

function partReceipt({ part_index, receipt }: { part_index: number; receipt: Receipt }): PartReceipt {
  const { status, at, failure = null } = receipt;
  return { part_index, status, at, failure };
}

/** Whether an outcome advances the message. */
function advances({ status, read_at: readAt }: ReceiptMessageRow, outcome: ReceiptOutcome): boolean {
  if (MESSAGE_TRANSITIONS[status].includes(outcome.status)) return true;
  return status === 'delivered' && outcome.status === 'delivered' && outcome.readAt !== null && readAt === null;
}

function latest(first: Date, second: Date | null): Date {
  return second && second > first ? second : first;
}
