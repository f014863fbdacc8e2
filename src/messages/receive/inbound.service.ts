import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { fromPublicId, newUuid, toPublicId, type AccountKey, type Environment } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Clock } from '../../core/clock/clock.service';
import { queryIn, Database } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { currentRequestId, noteIds } from '../../core/observability/tracing/work-context';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { Downloads } from '../../media/downloads.service';
import { attachmentRows } from '../../media/message-attachments.rows';
import { newAttachments, shownAttachments } from '../../media/new-attachments';
import { ErasedIds } from '../erasure/erased-ids.service';
import { HandoverRequests } from '../handover/handover-requests.service';
import { INBOUND_COLUMNS } from '../message.rows';
import { ConversationMovedError, retryOnConflict } from '../retry-on-conflict';
import { Albums } from './albums.service';
import { Choices, type StoredChoice } from './choices.service';
import { InboundReader } from './inbound-reader.service';
import { STORE_ALBUM, STORE_INBOUND, STORE_WITH_ATTACHMENTS } from './inbound.rows';
import { receivedEvent } from './received-event';
import { sanitizeMessage } from './sanitize-message';

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
export class InboundService {
  constructor(
    private readonly directory: ConversationDirectory,
    private readonly reader: InboundReader,
    private readonly albums: Albums,
    private readonly choices: Choices,
    private readonly requests: HandoverRequests,
    private readonly downloads: Downloads,
    private readonly erased: ErasedIds,
    private readonly accounts: Accounts,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

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
    if (isAlbum) {
      const added = await this.albums.add(at, sanitized, rows);
      if (added) this.downloads.wake(environment, rows);
      if (added !== undefined) return added ?? undefined;
    }
    const read = await this.reader.read(at, conversationId, sanitized);
    const { content, choice, data, quotation, options } = read;
    const attachments = [...shownAttachments(rows), ...uploads];
    const place = { id, conversationId, environment, platform, account: this.accounts.shown(at) };
    const told = { ...place, sender, content, attachments, sentAt, choice, data, quotation };
    const event = this.events.create('message.received', receivedEvent(told));
    const stored = uploads.map((attachment) =>
      this.events.create('attachment.stored', { ...ids, platform, account: place.account, environment, attachment }),
    );
    const events = isAlbum ? [] : [event, ...stored];
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
        traceparent: event.traceparent ?? null,
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
    const isRequest = read.isRequest && !isAlbum;
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
    if (rows.length > 0) this.downloads.wake(environment, rows);
    return id;
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
