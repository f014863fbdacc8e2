import { Injectable } from '@nestjs/common';
import { sanitizeText, type Environment, type Platform } from '#contracts';
import { PARTICIPANT } from '../../conversations/open-conversation';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import type { MessageChange } from '../../integrations/inbound/inbound-handler.port';
import { sanitizeContent } from './sanitize-message';

/** What stands in place of a message that its author deleted. */
const DELETED = '[message deleted]';

/** Older ones are dropped: every edit writes all of them again. */
export const KEPT_CONTENTS = 10;

/**
 * $4: content, $5: whether the message is deleted, $6: when it changed, $7: who changed it. A platform may have named the
 * author by another id when the message came. Platforms deliver changes in any order and more than
 * once: an earlier change, or one after the deletion, has no effect. An edit keeps the former contents, a deletion removes
 * them. Messages from before `received_id` have theirs in `message_parts`.
 */
const CHANGE = statement(
  'inbound-change',
  `UPDATE messages SET content = $4,
     options = CASE WHEN $5 THEN coalesce(options, '{}') - 'former_contents'
       ELSE jsonb_set(coalesce(options, '{}'), '{former_contents}', jsonb_path_query_array(
         coalesce(options -> 'former_contents', '[]') || to_jsonb(content), '$[last - ${KEPT_CONTENTS - 1} to last]')) END
       || jsonb_build_object('changed_at', $6::timestamptz, 'deleted', $5::boolean)
   WHERE id = (
     SELECT id FROM messages WHERE environment = $1 AND platform = $2 AND received_id = $3
     UNION ALL
     SELECT message_id FROM message_parts
     WHERE environment = $1 AND platform = $2 AND platform_message_id = $3 AND status = 'received'
     LIMIT 1)
     AND (${PARTICIPANT('$1', '$2', "sender ->> 'id'")}) = (${PARTICIPANT('$1', '$2', '$7')})
     AND NOT coalesce((options ->> 'deleted')::boolean, false)
     AND ($5 OR $6::timestamptz > coalesce((options ->> 'changed_at')::timestamptz, '-infinity'))`,
);

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
    await this.database.query(CHANGE, [
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
