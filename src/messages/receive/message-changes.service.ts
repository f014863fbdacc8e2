import { Injectable } from '@nestjs/common';
import { sanitizeText, toPublicId, type AccountKey } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { eventRows } from '../../core/events/event.rows';
import type { MessageChange, Reaction } from '../../integrations/inbound/inbound-handler.port';
import { CHANGE_INBOUND, FIND_CHANGED, type ChangedMessage } from './message-changes.rows';
import { REACT } from './reactions.rows';
import { sanitizeContent } from './sanitize-message';

/** The content of a message that its author deleted. */
const DELETED = '[message deleted]';
/** Longest reaction that is kept, in UTF-16 code units: the longest emoji has about 35. */
const LONGEST_REACTION = 100;

/** Applies the edits of authors to stored messages, and stores reactions. The assistant does not answer them. */
@Injectable()
export class MessageChanges {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /** A change of a message that is not stored, or that changes nothing, is dropped. */
  async apply(account: AccountKey, { platformMessageId, authorId, content, at }: MessageChange): Promise<void> {
    const { environment, platform, account: key } = account;
    const named = [environment, platform, sanitizeText(platformMessageId), key];
    const [found] = await this.database.query<ChangedMessage>(FIND_CHANGED, named);
    if (!found) return;
    const isDeleted = content === null;
    const changedAt = Number.isNaN(at.getTime()) ? this.clock.date() : at;
    const shown = isDeleted ? DELETED : sanitizeContent(content);
    const event = this.events.create('message.updated', {
      message_id: toPublicId('message', found.id),
      conversation_id: toPublicId('conversation', found.conversation_id),
      platform,
      account: this.accounts.shown(account),
      environment,
      change: isDeleted ? 'deleted' : 'edited',
      content: shown,
      at: changedAt.toISOString(),
    });
    const change = [found.id, shown, isDeleted, changedAt, authorId === undefined ? null : sanitizeText(authorId)];
    const values = [environment, platform, ...change, found.item, eventRows([event]), key];
    if ((await this.database.query(CHANGE_INBOUND, values)).length > 0) this.events.publish([event]);
  }

  /** A reaction to a message that is not stored is dropped. */
  async react(
    { environment, platform, account }: AccountKey,
    { platformMessageId, participantId, authorId, emoji, at }: Reaction,
  ): Promise<void> {
    await this.database.query(REACT, [
      environment,
      platform,
      sanitizeText(platformMessageId),
      sanitizeText(participantId),
      sanitizeText(authorId),
      emoji === null ? null : sanitizeText(emoji.slice(0, LONGEST_REACTION)),
      Number.isNaN(at.getTime()) ? this.clock.date() : at,
      account,
    ]);
  }
}
