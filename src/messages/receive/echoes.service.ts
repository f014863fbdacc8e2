import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newUuid, toPublicId, type AccountKey } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Handovers } from '../../conversations/handover/handovers.service';
import { Clock } from '../../core/clock/clock.service';
import { queryIn } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { SettingsService } from '../../core/settings/settings.service';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { ErasedIds } from '../erasure/erased-ids.service';
import { Quotations, type StoredQuotation } from '../quotations/quotations.service';
import { ConversationMovedError, retryOnConflict } from '../retry-on-conflict';
import { STORE_ECHO, type StoredRow } from './echo.rows';
import { sanitizeMessage } from './sanitize-message';

/**
 * Stores what a colleague writes on the business's phone (WhatsApp coexistence), once, however often the platform
 * delivers it. The same transaction takes the conversation over.
 */
@Injectable()
export class Echoes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly directory: ConversationDirectory,
    private readonly handovers: Handovers,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly erased: ErasedIds,
    private readonly quotations: Quotations,
    private readonly accounts: Accounts,
  ) {}

  /** Resolves once the message is durable. @param received `participant` is the recipient, `sender` is the business */
  async receive(at: AccountKey, received: ReceivedMessage): Promise<void> {
    const forget = () => this.directory.forget(at, received.participant.id);
    await retryOnConflict(() => this.store(at, received), forget);
  }

  private async store(at: AccountKey, received: ReceivedMessage): Promise<void> {
    const { environment, platform, account } = at;
    const now = this.clock.date();
    const { participant, sender, content, kind, sentAt, platformMessageId, address } = sanitizeMessage(received, now);
    const { id: conversationId, participantId } = await this.directory.find(at, participant.id);
    const id = newUuid(now.getTime());
    const quotation = received.replyTo && (await this.quotations.of(at, conversationId, received.replyTo));
    const event = this.events.create('message.sent', {
      message_id: toPublicId('message', id),
      conversation_id: toPublicId('conversation', conversationId),
      platform,
      account: this.accounts.shown(at),
      environment,
      recipient: { id: participantId, name: participant.name },
      content,
      attachments: [],
      ai_model: null,
      tokens: null,
      latency_ms: 0,
    });
    const place = [conversationId, participantId, address ?? null];
    const text = [content, kind, JSON.stringify(sender), sentAt];
    const digest = this.erased.digestOf(at, platformMessageId);
    const ids = [id, environment, platform, platformMessageId, now];
    const values = [...ids, ...place, ...text, eventRows([event]), digest, ...quotedValues(quotation), account];
    const events = await this.dataSource.transaction(async (transaction) => {
      const [row] = await queryIn<StoredRow>(transaction, STORE_ECHO, values);
      if (row!.known) return [];
      // Another statement opened the conversation meanwhile.
      if (!row!.stored) throw new ConversationMovedError();
      const { echo_resume_minutes: minutes } = this.settings.of(environment).handover;
      if (minutes === null) return [event];
      const conversation = await this.handovers.lock(transaction, environment, conversationId);
      return [event, ...(await this.handovers.takeOverByEcho(transaction, conversation, minutes))];
    });
    this.events.publish(events);
  }
}

function quotedValues(quotation: StoredQuotation | undefined): (string | null)[] {
  return quotation ? [quotation.messageId, JSON.stringify({ quoted: quotation.quoted })] : [null, null];
}
