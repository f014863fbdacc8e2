import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { fromPublicId, newUuid, toPublicId, type AccountKey, type Environment, type MessageData } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { ParticipantAliases } from '../../conversations/aliases/participant-aliases.service';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { MarketingPreferences } from '../../conversations/marketing/marketing-preferences.service';
import { Clock } from '../../core/clock/clock.service';
import { queryIn, Database } from '../../core/database/database.service';
import { boundedJson } from '../../core/validation/bounded-json';
import { RestoreTime } from '../../core/secrets/restore-time.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { SettingsService } from '../../core/settings/settings.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { currentRequestId, noteIds } from '../../core/observability/tracing/work-context';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { GroupReplies } from '../../integrations/inbound/group-replies.service';
import { InboundSinks } from '../../integrations/inbound/inbound-sinks.service';
import { Downloads } from '../../media/downloads.service';
import { Albums } from './albums.service';
import { attachmentRows, type NewAttachment } from '../../media/message-attachments.rows';
import { newAttachments, shownAttachments } from '../../media/new-attachments';
import { ConversationMovedError, retryOnConflict } from '../retry-on-conflict';
import { ErasedIds } from '../erasure/erased-ids.service';
import { HandoverRequests } from '../handover/handover-requests.service';
import { holdsPhrase } from '../handover/phrases';
import { INBOUND_COLUMNS } from '../message.rows';
import { Echoes } from './echoes.service';
import { STORE_ALBUM, STORE_INBOUND, STORE_WITH_ATTACHMENTS } from './inbound.rows';
import { Choices, type StoredChoice } from './choices.service';
import { receivedEvent } from './received-event';
import { MessageChanges } from './message-changes.service';
import { sanitizeMessage } from './sanitize-message';
import type { Quoted } from '../../conversations/quoted.rows';
import type { InboundOptions } from '../entities/message.entity';
import { Quotations } from '../quotations/quotations.service';
import { Receipts } from '../receipts/receipts.service';

interface StoredInbound {
  stored: boolean;
  known: boolean;
}

/** Facts of a message that decide what is stored with it. */
interface Terms {
  environment: Environment;
  conversationId: string;
  senderId: string;
  tap: StoredChoice | undefined;
  isRequest: boolean;
}

/** Stores each inbound message once, however often the platform delivers it. */
@Injectable()
export class InboundService implements OnModuleInit {
  constructor(
    private readonly sinks: InboundSinks,
    private readonly directory: ConversationDirectory,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly receipts: Receipts,
    private readonly changes: MessageChanges,
    private readonly echoes: Echoes,
    private readonly choices: Choices,
    private readonly quotations: Quotations,
    private readonly restore: RestoreTime,
    private readonly tracer: Tracer,
    private readonly downloads: Downloads,
    private readonly settings: SettingsService,
    private readonly requests: HandoverRequests,
    private readonly erased: ErasedIds,
    private readonly albums: Albums,
    private readonly marketing: MarketingPreferences,
    private readonly aliases: ParticipantAliases,
    private readonly groups: GroupReplies,
    private readonly accounts: Accounts,
  ) {}

  onModuleInit(): void {
    this.sinks.register({
      message: (at, message) => this.receive(at, message),
      echo: (at, message) => this.echoes.receive(at, message),
      receipt: (at, receipt) => this.receipts.receive(at, receipt),
      change: (at, change) => this.changes.apply(at, change),
      reaction: (at, reaction) => this.changes.react(at, reaction),
      marketing: (account, { participantId, allowed, at }) =>
        this.marketing.prefer(account, participantId, allowed, at),
      migrate: (at, from, to) => this.aliases.migrate(at, from, to),
    });
  }

  /** Resolves once the message is durable. @returns its UUID, or undefined for a duplicate */
  receive(at: AccountKey, received: ReceivedMessage): Promise<string | undefined> {
    const forget = () => this.directory.forget(at, received.participant.id);
    return retryOnConflict(() => this.store(at, received), forget);
  }

  private async store(at: AccountKey, received: ReceivedMessage): Promise<string | undefined> {
    const { environment, platform, account } = at;
    const now = this.clock.now();
    const sanitized = sanitizeMessage(received, new Date(now));
    const { participant, sender, sentAt, platformMessageId } = sanitized;
    await this.directory.openTopic(at, participant.id);
    const slot = await this.directory.find(at, participant.id);
    const conversationId = slot.id;
    const id = newUuid(now);
    const ids = {
      message_id: toPublicId('message', id),
      conversation_id: toPublicId('conversation', conversationId),
    };
    noteIds(ids);
    const rows = newAttachments(at, received.attachments ?? [], now);
    const { uploads = [] } = received;
    const hasAttachments = rows.length + uploads.length > 0;
    const isAlbum = received.albumId !== undefined && rows.length > 0;
    const added = isAlbum ? await this.albums.add(at, sanitized, rows) : undefined;
    if (added !== undefined) {
      if (added !== null) this.wakeDownloads(environment, rows);
      return added ?? undefined;
    }
    const choice = await this.choices.of(at, conversationId, sanitized);
    // A tap on a message that the platform does not show has no title: the stored offer has it.
    const content = sanitized.content === '' && choice ? choice.title : sanitized.content;
    const { replyTo } = received;
    const quotation = replyTo && (await this.quotations.of(at, conversationId, replyTo));
    const data = received.data && boundedJson(received.data);
    const attachments = [...shownAttachments(rows), ...uploads];
    const place = { id, conversationId, environment, platform, account: this.accounts.shown(at) };
    const told = { ...place, sender, content, attachments, sentAt, choice, data, quotation };
    const event = this.events.create('message.received', receivedEvent(told));
    const stored = uploads.map((attachment) =>
      this.events.create('attachment.stored', { ...ids, platform, account: place.account, environment, attachment }),
    );
    const events = isAlbum ? [] : [event, ...stored];
    const isMentioned = received.mentionsBot === false ? quotation?.isOurs === true : received.mentionsBot;
    const isAnswered = !this.restore.isFromBefore(sentAt) && this.groups.isAnswered(at, isMentioned);
    const options = optionsOf(isAnswered ? received : { ...received, expectsReply: false }, {
      choice,
      data,
      quoted: quotation?.quoted,
    });
    const values = [
      id,
      environment,
      platform,
      platformMessageId,
      new Date(now),
      conversationId,
      slot.participantId,
      participant.name,
      participant.username,
      received.address ?? null,
      eventRows(events),
      // A platform's clock may be ahead of ours.
      received.opensWindow === false ? null : new Date(Math.min(sentAt.getTime(), now)),
      this.erased.digestOf(at, platformMessageId),
      account,
      ...INBOUND_COLUMNS.values({
        received: { ...sanitized, content },
        // Null without options: an ordinary message, which is answered.
        options: Object.keys(options).length > 0 ? JSON.stringify(options) : null,
        replyTo: quotation?.messageId ?? null,
        hasAttachments,
        traceparent: this.tracer.traceparent ?? null,
        requestId: currentRequestId() ?? null,
      }),
      ...(hasAttachments
        ? [
            attachmentRows(
              rows,
              uploads.map(({ id: one }) => fromPublicId('attachment', one)!),
            ),
          ]
        : []),
      ...(isAlbum ? this.albums.valuesOf(sanitized) : []),
    ];
    const statement = isAlbum ? STORE_ALBUM : hasAttachments ? STORE_WITH_ATTACHMENTS : STORE_INBOUND;
    const tap = received.interactiveReply && choice;
    const isRequest =
      !isAlbum && options.expects_reply !== false && this.isRequest(environment, [content, choice?.title ?? '']);
    const store = (transaction: EntityManager) => queryIn<StoredInbound>(transaction, statement, values);
    const [row] =
      tap || isRequest
        ? await this.storeWith({ environment, conversationId, senderId: sender.id, tap, isRequest }, store)
        : await this.database.query<StoredInbound>(statement, values);
    // No row: a repeated tap.
    if (!row || row.known) return undefined;
    // Another statement opened the conversation meanwhile. If the message counted as a duplicate, it would be lost.
    if (!row.stored) throw new ConversationMovedError();
    this.directory.remember(at, participant.id, slot);
    this.events.publish(events);
    if (isAlbum) this.albums.opened(environment, id);
    this.wakeDownloads(environment, rows);
    return id;
  }

  private wakeDownloads(environment: Environment, rows: readonly NewAttachment[]): void {
    this.downloads.wake(
      environment,
      rows.map(({ id }) => id),
    );
  }

  /** @param texts what the person wrote, and the option that a number chose */
  private isRequest(environment: Environment, texts: readonly string[]): boolean {
    const { phrases } = this.settings.of(environment).handover;
    return texts.some((text) => holdsPhrase(text, phrases));
  }

  /**
   * Stores a message in one transaction with the checks it needs: a repeated tap is not stored, and a message that asks for a
   * person also requests one.
   * @returns no row for a repeated tap
   */
  private async storeWith(
    { environment, conversationId, senderId, tap, isRequest }: Terms,
    store: (transaction: EntityManager) => Promise<StoredInbound[]>,
  ): Promise<StoredInbound[]> {
    let rows: StoredInbound[] = [];
    await this.requests.run(async (transaction) => {
      if (tap && (await this.choices.isRepeated(transaction, conversationId, tap, senderId))) return undefined;
      rows = await store(transaction);
      if (!isRequest || !rows[0]?.stored) return undefined;
      return this.requests.request(transaction, environment, conversationId, { reason: 'phrase' });
    });
    return rows;
  }
}

interface Added {
  choice: StoredChoice | undefined;
  data: MessageData | undefined;
  quoted: Quoted | undefined;
}

function optionsOf(
  { expectsReply, inContext, answerAsReply, albumId, hasCaption }: ReceivedMessage,
  { choice, data, quoted }: Added,
): InboundOptions {
  return {
    ...(expectsReply === false && { expects_reply: false }),
    ...(inContext === false && { in_context: false }),
    ...(answerAsReply && { answer_as_reply: true }),
    ...(choice && { interactive_reply: choice }),
    ...(albumId !== undefined && hasCaption && { caption_item: 1 }),
    ...(data && { data }),
    ...(quoted && { quoted }),
  };
}
