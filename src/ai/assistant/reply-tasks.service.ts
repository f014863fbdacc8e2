import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Environment } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import type { DueRow } from '../../core/jobs/due-rows';

export const REPLIES = 'replies';

/** Idempotent: an event that is handled twice asks for one answer. */
const REQUEST = statement(
  'reply-request',
  `INSERT INTO reply_tasks AS t (conversation_id, environment, requested_seq, next_at)
   SELECT conversation_id, environment, seq, now() FROM messages
   WHERE id = $1 AND coalesce(options ->> 'expects_reply', 'true') = 'true'
   ON CONFLICT (conversation_id) DO UPDATE SET
     requested_seq = greatest(t.requested_seq, excluded.requested_seq),
     next_at = coalesce(t.next_at, now()),
     attempts = CASE WHEN t.next_at IS NULL THEN 0 ELSE t.attempts END
   WHERE excluded.requested_seq > t.answered_seq`,
);

const ANSWERED = statement(
  'reply-answered',
  `UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer)
   WHERE conversation_id = $1 AND fence = $2 RETURNING 1`,
);

const FINISH = statement(
  'reply-finish',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0,
     next_at = CASE WHEN requested_seq > answered_seq THEN now() END
   WHERE conversation_id = $1 AND fence = $2
   RETURNING next_at IS NOT NULL AS more`,
);

const LATER = statement(
  'reply-later',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, next_at = now() + interval '1 second' WHERE conversation_id = $1 AND fence = $2`,
);

export interface ReplyTask extends DueRow {
  conversation_id: string;
  environment: Environment;
  answered_seq: number;
  requested_seq: number;
}

/** Another instance took the conversation over: this instance must not record its work. */
export class LeaseLostError extends Error {}

/** The rows of the assistant: one per conversation, so that one answer is made at a time. */
@Injectable()
export class ReplyTasks {
  constructor(private readonly database: Database) {}

  /** @param messageId UUID of the inbound message that wants an answer */
  async request(messageId: string): Promise<void> {
    await this.database.query(REQUEST, [messageId]);
  }

  /** Records that every message up to `seq` is answered, or needs no answer. @throws LeaseLostError */
  async answered({ conversation_id, fence }: ReplyTask, seq: number, client?: PoolClient): Promise<void> {
    const rows = await this.database.query(ANSWERED, [conversation_id, fence, seq], client);
    if (rows.length === 0) throw new LeaseLostError('the conversation was taken over');
  }

  /** Releases the conversation's lease. @returns whether messages arrived meanwhile */
  async finish({ conversation_id, fence }: ReplyTask): Promise<boolean> {
    const [row] = await this.database.query<{ more: boolean }>(FINISH, [conversation_id, fence]);
    return row?.more ?? false;
  }

  async later({ conversation_id, fence }: ReplyTask): Promise<void> {
    await this.database.query(LATER, [conversation_id, fence]);
  }
}
