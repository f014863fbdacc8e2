import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { toPublicId } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { Batcher } from '../../core/work/batcher';
import { Tracer } from '../../core/observability/tracing/tracer';
import { runIn } from '../../core/observability/tracing/work-context';
import { deliveredEvent } from '../send/outbound-events';
import type { OutboundMessage } from '../send/outbound-message';
import { CONFIRM } from './receipts.rows';

/** Deliveries that become due within this time are confirmed by one statement. */
const GATHER_MS = 100;
const BATCH = 500;
/** Pause between retries while the database is unavailable. */
const RETRY_MS = 250;

/** A message without a confirmed delivery. */
export type Unconfirmed = Pick<
  OutboundMessage,
  | 'id'
  | 'environment'
  | 'platform'
  | 'account'
  | 'conversationId'
  | 'recipient'
  | 'recipientName'
  | 'attachments'
  | 'traceparent'
>;

/**
 * Confirms, in batches, deliveries that count as confirmed a moment after acceptance, without a receipt (sandbox). The message
 * keeps its task until then; if this process dies, another one claims the task.
 */
@Injectable()
export class DeliveryConfirmer implements BeforeApplicationShutdown {
  private readonly due = new Batcher<Unconfirmed>((messages) => this.write(messages), {
    gatherMs: GATHER_MS,
    size: BATCH,
    retryMs: RETRY_MS,
  });

  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
    private readonly accounts: Accounts,
  ) {}

  confirmLater(message: Unconfirmed, afterMs: number): void {
    setTimeout(() => this.confirm(message), afterMs).unref();
  }

  confirm(message: Unconfirmed): void {
    this.due.push(message);
  }

  /** Leaves work that is not due yet to another process, or to the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.due.close();
  }

  private async write(due: readonly Unconfirmed[]): Promise<void> {
    // A message that two searches found gets one event.
    const messages = [...new Map(due.map((message) => [message.id, message])).values()];
    const now = this.clock.date();
    const confirmations = messages.map((message) => {
      const ids = { message_id: toPublicId('message', message.id) };
      const span = this.tracer.start(`confirm ${message.platform}`, { parent: message.traceparent, ids });
      const data = deliveredEvent(message, this.accounts.shown(message), now, 'platform');
      return { span, event: runIn(span.context, () => this.events.create('message.delivered', data)) };
    });
    const events: DomainEvent[] = confirmations.map(({ event }) => event);
    try {
      await this.record(messages, events, now);
    } finally {
      for (const { span } of confirmations) span.end();
    }
  }

  private async record(messages: readonly Unconfirmed[], events: readonly DomainEvent[], now: Date): Promise<void> {
    const stored = await this.database.query<{ id: string }>(CONFIRM, [
      messages.map(({ id }) => id),
      now,
      eventRows(events),
      events.map(({ id }) => id),
    ]);
    const ids = new Set(stored.map(({ id }) => id));
    this.events.publish(events.filter(({ id }) => ids.has(id)));
  }
}
