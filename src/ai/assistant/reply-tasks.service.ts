import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { COMMIT_WITHOUT_WAITING, Database, statement, type Statement } from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import type { DomainEvent } from '../../core/events/domain-event';
import { eventRows, insertEvents } from '../../core/events/event-rows';
import type { DueRow } from '../../core/work/due-rows';

export const REPLIES = 'replies';

const ANSWERED = statement(
  'reply-answered',
  `UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer)
   WHERE conversation_id = $1 AND fence = $2 RETURNING 1`,
);

/** If a crash of PostgreSQL undoes it, the lease runs out, and the next holder finds everything answered. */
const FINISH = statement(
  'reply-finish',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, faults = 0, admitted = false, request_id = NULL,
     next_at = CASE WHEN requested_seq > answered_seq THEN now() END
   WHERE conversation_id = $1 AND fence = $2
   RETURNING ${COMMIT_WITHOUT_WAITING}`,
);

const LATER = statement(
  'reply-later',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, next_at = now() + interval '1 second' WHERE conversation_id = $1 AND fence = $2`,
);

const GIVE_UP = statement(
  'reply-give-up',
  `WITH given_up AS (
     UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), lease_until = NULL, attempts = 0, faults = 0,
       admitted = false, request_id = NULL, given_up_at = CASE WHEN $5 THEN now() ELSE given_up_at END,
       next_at = CASE WHEN requested_seq > $3 THEN now() END
     WHERE conversation_id = $1 AND fence = $2 RETURNING 1
   ),
   ${insertEvents('$4', 'EXISTS (SELECT FROM given_up)')}
   SELECT EXISTS (SELECT FROM given_up) AS recorded`,
);

/** `attempts` stays: the pauses grow with it. */
const RETRY = statement(
  'reply-retry',
  `WITH retried AS (
     UPDATE reply_tasks SET lease_until = NULL, faults = 0, admitted = true, request_id = $4,
       next_at = now() + make_interval(secs => $3)
     WHERE conversation_id = $1 AND fence = $2 RETURNING 1
   ),
   ${insertEvents('$5', 'EXISTS (SELECT FROM retried)')}
   SELECT EXISTS (SELECT FROM retried) AS recorded`,
);

const WAIT = statement(
  'reply-wait',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, admitted = true, next_at = now() + make_interval(secs => $3)
   WHERE conversation_id = $1 AND fence = $2`,
);

export const END_REPLY_LEASES = `
  UPDATE reply_tasks SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

export interface ReplyTask extends DueRow {
  conversation_id: string;
  environment: Environment;
  answered_seq: number;
  requested_seq: number;
  /** It has passed the limit of its conversation: it waited for its turn, or is made again. */
  admitted: boolean;
  /** UUID of the request that the provider failed: this round belongs to it. */
  request_id: string | null;
}

/** Another instance took the conversation over: this instance must not record its work. */
export class LeaseLostError extends Error {}

/** The rows of the assistant: one per conversation, so that one answer is made at a time. */
@Injectable()
export class ReplyTasks {
  constructor(private readonly database: Database) {}

  /** Records that every message up to `seq` is answered, or needs no answer. @throws LeaseLostError */
  async answered({ conversation_id, fence }: ReplyTask, seq: number): Promise<void> {
    const rows = await this.database.query(ANSWERED, [conversation_id, fence, seq]);
    if (rows.length === 0) throw new LeaseLostError('the conversation was taken over');
  }

  /** Releases the conversation's lease. It is due at once if messages arrived meanwhile. */
  async finish({ conversation_id, fence }: ReplyTask): Promise<void> {
    await this.database.query(FINISH, [conversation_id, fence]);
  }

  /** Has the conversation wait for its turn. */
  async wait({ conversation_id, fence }: ReplyTask, seconds: number): Promise<void> {
    await this.database.query(WAIT, [conversation_id, fence, seconds]);
  }

  async later({ conversation_id, fence }: ReplyTask): Promise<void> {
    await this.database.query(LATER, [conversation_id, fence]);
  }

  /** Has the reply made again after some seconds, and stores the events of the failure. @returns whether it did */
  retry({ conversation_id, fence }: ReplyTask, seconds: number, requestId: string, events: readonly DomainEvent[]) {
    return this.record(RETRY, [conversation_id, fence, seconds, requestId, eventRows(events)]);
  }

  /**
   * Leaves the messages up to `seq` without an answer, and stores the events that tell of it. Later ones are due at once.
   * @returns whether it did
   */
  giveUp(
    { conversation_id, fence }: ReplyTask,
    seq: number,
    events: readonly DomainEvent[],
    { isOwnFault = false } = {},
  ): Promise<boolean> {
    return this.record(GIVE_UP, [conversation_id, fence, seq, eventRows(events), isOwnFault]);
  }

  private async record(prepared: Statement, values: unknown[]): Promise<boolean> {
    const [row] = await this.database.query<{ recorded: boolean }>(prepared, values);
    return row!.recorded;
  }
}
