import { Injectable } from '@nestjs/common';
import { sanitizeText, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { MessageChange, Reaction } from '../../integrations/inbound/inbound-handler.port';
import { CHANGE_INBOUND } from './inbound.rows';
import { REACT } from './reactions.rows';
import { sanitizeContent } from './sanitize-message';

/** The content of a message that its author deleted. */
const DELETED = '[message deleted]';
/** Longest reaction that is kept, in UTF-16 code units: the longest emoji has about 35. */
const LONGEST_REACTION = 100;

/** Applies the edits of authors to stored messages, and stores reactions. An edit causes no event and no answer. */
@Injectable()
export class MessageChanges {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async apply(
    environment: Environment,
    platform: Platform,
    { platformMessageId, authorId, content, at }: MessageChange,
  ): Promise<void> {
    const isDeleted = content === null;
    const changedAt = Number.isNaN(at.getTime()) ? this.clock.date() : at;
    await this.database.query(CHANGE_INBOUND, [
      environment,
      platform,
      sanitizeText(platformMessageId),
      isDeleted ? DELETED : sanitizeContent(content),
      isDeleted,
      changedAt,
      sanitizeText(authorId),
    ]);
  }

  /** A reaction to a message that is not stored is dropped. */
  async react(
    environment: Environment,
    platform: Platform,
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
    ]);
  }
}
