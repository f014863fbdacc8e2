import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Handovers, type HandoverRequest } from '../../conversations/handover/handovers.service';
import { queryIn } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { SettingsService } from '../../core/settings/settings.service';
import { MessagesService } from '../messages.service';
import { BillableLimit } from '../../billing/billable-limit.service';
import type { OutboundDraft, OutboundMessage } from '../send/outbound-message';
import { OutboundStore } from '../send/outbound-store.service';
import { LEAVE_OUT, leftOut } from './left-out.rows';

/** Rows that a request for a person stored. */
export interface Requested {
  events: DomainEvent[];
  closing?: OutboundMessage;
}

/** Requests a person for a conversation, and sends the closing message, which is stored in the same transaction. */
@Injectable()
export class HandoverRequests {
  private readonly logger = new Logger(HandoverRequests.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly handovers: Handovers,
    private readonly settings: SettingsService,
    private readonly store: OutboundStore,
    private readonly messages: MessagesService,
    private readonly events: DomainEvents,
    private readonly limit: BillableLimit,
  ) {}

  /**
   * Runs a transaction that may request a person. After the commit, publishes the events and sends the message that it stored.
   * @param work returns undefined if no person was requested
   */
  async run(work: (transaction: EntityManager) => Promise<Requested | undefined>): Promise<void> {
    const requested = await this.dataSource.transaction(async (transaction) => {
      const stored = await work(transaction);
      // A closing message counts, but is sent even if the day has no room: it tells the person that a reply will take longer.
      if (stored?.closing) await this.limit.reserve(stored.closing, transaction, 0);
      return stored;
    });
    if (!requested) return;
    this.events.publish(requested.events);
    if (requested.closing) void this.send(requested.closing);
  }

  /** Locks the conversation. Call it first in a transaction that changes other rows before `request`. */
  async lock(transaction: EntityManager, environment: Environment, conversationId: string): Promise<void> {
    await this.handovers.lock(transaction, environment, conversationId);
  }

  /** Changes nothing while a person is requested already, or has the conversation. */
  async request(
    transaction: EntityManager,
    environment: Environment,
    conversationId: string,
    request: HandoverRequest,
  ): Promise<Requested> {
    const conversation = await this.handovers.lock(transaction, environment, conversationId);
    const events = await this.handovers.request(transaction, conversation, request);
    const { closing_message: content } = this.settings.of(environment).handover;
    if (events.length === 0 || content === null) return { events };
    const { platform, account, participantId: recipient } = conversation;
    const draft: OutboundDraft = {
      environment,
      conversationId,
      platform,
      account,
      recipient,
      content,
      options: { parse_mode: 'plain', link_preview: true },
      sentBy: 'assistant',
    };
    await this.messages.setReservation(draft);
    return { events, closing: await this.store.accept(draft, transaction) };
  }

  /** The assistant does not see these messages any more. @param messages at least one */
  async leaveOut(transaction: EntityManager, messages: readonly { id: string; arrivedAt: Date }[]): Promise<void> {
    await queryIn(transaction, LEAVE_OUT, leftOut(messages));
  }

  /** If it fails, `SendRecovery` takes the message up once its lease has expired. */
  private async send(message: OutboundMessage): Promise<void> {
    try {
      await this.messages.deliverAnswer(message);
    } catch (err) {
      const id = toPublicId('conversation', message.conversationId);
      this.logger.warn({ err }, `The closing message of conversation ${id} will be sent again`);
    }
  }
}
