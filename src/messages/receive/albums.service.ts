import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountKey, Environment } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { queryIn, Database } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import { Tracer } from '../../core/observability/tracing/tracer';
import { SettingsService } from '../../core/settings/settings.service';
import type { DueRow } from '../../core/work/due.rows';
import { Work } from '../../core/work/work.service';
import type { ReceivedMessage } from '../../integrations/inbound/inbound-handler.port';
import { attachmentRows, toAttachments, type NewAttachment } from '../../media/message-attachments.rows';
import type { InboundOptions } from '../entities/message.entity';
import { HandoverRequests } from '../handover/handover-requests.service';
import { holdsPhrase } from '../handover/phrases';
import { receivedEvent } from './received-event';
import { ADD_ITEM, ALBUM_MESSAGE, CLOSE_ALBUM, DUE_ALBUMS, RELEASE_ALBUM, type AlbumMessageRow } from './albums.rows';

export const ALBUMS = 'albums';

interface AlbumRow extends DueRow {
  message_id: string;
}

/**
 * Joins the items of an album into one message. The first item is stored as a message, and the others are added to it. The
 * message's event and reply follow when the album is closed.
 */
@Injectable()
export class Albums implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly work: Work,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    private readonly requests: HandoverRequests,
    private readonly tracer: Tracer,
    private readonly accounts: Accounts,
  ) {}

  onModuleInit(): void {
    this.work.register<AlbumRow>({ name: ALBUMS, due: DUE_ALBUMS, concurrency: 16, run: (row) => this.close(row) });
  }

  /** @returns the UUID of the message that it was added to; null: the item is known; undefined: no such album is open */
  async add(
    { environment, platform, account }: AccountKey,
    { participant, platformMessageId, albumId, hasCaption = false, content }: ReceivedMessage,
    rows: readonly NewAttachment[],
  ): Promise<string | null | undefined> {
    const [row] = await this.database.query<{ id: string | null; known: boolean }>(ADD_ITEM, [
      environment,
      platform,
      platformMessageId,
      albumKey(participant.id, albumId!),
      content,
      hasCaption,
      attachmentRows(rows),
      this.clock.date(),
      account,
    ]);
    if (row!.known) return null;
    return row!.id ?? undefined;
  }

  /** The values of `openAlbum`. */
  valuesOf({ participant, albumId, hasCaption, sentAt }: ReceivedMessage): unknown[] {
    return [albumKey(participant.id, albumId!), hasCaption ? 1 : null, sentAt];
  }

  /** Call it after an album was opened: it wakes the worker that closes it. */
  opened(environment: Environment, messageId: string): void {
    this.work.wake(ALBUMS, environment, messageId);
  }

  private async close({ message_id, fence }: AlbumRow): Promise<void> {
    const [message] = await this.database.query<AlbumMessageRow>(ALBUM_MESSAGE, [message_id]);
    if (!message) return;
    const { environment, conversation_id: conversationId, content, options } = message;
    const span = { kind: 'consumer', parent: message.traceparent } as const;
    await this.tracer.run(`album ${message.platform}`, span, async () => {
      const { platform, sender, sent_at: sentAt } = message;
      const attachments = toAttachments(message.attachments);
      const { data, quoted } = (options ?? {}) as InboundOptions;
      const told = {
        id: message_id,
        conversationId,
        environment,
        platform,
        account: this.accounts.shown(message),
        sender: sender!,
        content,
        attachments,
        sentAt,
        data,
        quotation: quoted && { messageId: message.reply_to, quoted },
      };
      const event = this.events.create('message.received', receivedEvent(told));
      const values = [message_id, fence, eventRows([event])];
      const isAnswered = !(options && 'expects_reply' in options);
      const isRequest = isAnswered && holdsPhrase(content, this.settings.of(environment).handover.phrases);
      const isClosed = isRequest
        ? await this.closeRequesting(environment, conversationId, values)
        : (await this.database.query<{ closed: boolean }>(CLOSE_ALBUM, values))[0]!.closed;
      if (isClosed) this.events.publish([event]);
      else await this.database.query(RELEASE_ALBUM, [message_id, fence]);
    });
  }

  /** The caption asks for a person. The conversation is locked before its reply, as in every statement that stores a message. */
  private async closeRequesting(environment: Environment, conversationId: string, values: unknown[]): Promise<boolean> {
    let isClosed = false;
    await this.requests.run(async (transaction: EntityManager) => {
      await this.requests.lock(transaction, environment, conversationId);
      isClosed = (await queryIn<{ closed: boolean }>(transaction, CLOSE_ALBUM, values))[0]!.closed;
      if (!isClosed) return undefined;
      return this.requests.request(transaction, environment, conversationId, { reason: 'phrase' });
    });
    return isClosed;
  }
}

function albumKey(participantId: string, albumId: string): string {
  return `${participantId}:${albumId}`;
}
