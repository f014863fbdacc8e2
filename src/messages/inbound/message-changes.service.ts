import { Injectable } from '@nestjs/common';
import { sanitizeText, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { MessageChange } from '../../integrations/inbound/inbound-handler.port';
import { CHANGE_INBOUND } from './inbound.rows';
import { sanitizeContent } from './sanitize-message';

/** The content of a message that its author deleted. */
const DELETED = '[message deleted]';

/** Changes stored inbound messages, as their authors did. No event tells of it, and nothing is answered for it. */
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
}
