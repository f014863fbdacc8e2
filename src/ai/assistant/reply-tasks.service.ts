import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment } from '#contracts';
import {
  askIn,
  COMMIT_WITHOUT_WAITING,
  Database,
  statement,
  type Statement,
} from '../../core/database/database.service';
import { ENDED } from '../../core/database/lease';
import { Erasures } from '../../core/erasure/erasures.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { eventRows, insertEvents } from '../../core/events/event-rows';
import type { DueRow } from '../../core/work/due-rows';
import type { AiAnswer } from '../ai-call';
import { billAnswers } from '../usage/usage-recorder.service';

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

/** $1: conversation */
const DROP = statement('reply-drop', 'DELETE FROM reply_tasks WHERE conversation_id = $1');

const LATER = statement(
  'reply-later',
  `UPDATE reply_tasks SET lease_until = NULL, attempts = 0, next_at = now() + interval '1 second' WHERE conversation_id = $1 AND fence = $2`,
);

const GIVE_UP = statement(
  'reply-give-up',
  `WITH conversation AS (SELECT id, handling_seq FROM conversations WHERE id = $1::uuid FOR NO KEY UPDATE),
   given_up AS (
     UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), lease_until = NULL, attempts = 0, faults = 0,
       admitted = false, request_id = NULL, given_up_at = CASE WHEN $5 THEN now() ELSE given_up_at END,
       next_at = CASE WHEN requested_seq > $3 THEN now() END,
       failures = CASE WHEN failed_seq > handling_seq THEN failures + 1 ELSE 1 END, failed_seq = $3
     FROM conversation WHERE conversation_id = conversation.id AND fence = $2 RETURNING failures
   ),
   ${insertEvents('$4', 'EXISTS (SELECT FROM given_up)')}
   SELECT failures FROM given_up`,
);

/**
 * What the model was asked is answered otherwise than by a message. The call is billed in any case. $3: the answered position,
 * $4: that of the last change of `handling` when the call began, $5: the bill, $6: events, $7: events if a person has it by now.
 */
const BILLED = statement(
  'reply-billed',
  `WITH conversation AS (
     SELECT id, handling = 'assistant' AND handling_seq = $4::integer AS is_assistants
     FROM conversations WHERE id = $1::uuid FOR NO KEY UPDATE
   ),
   task AS (
     UPDATE reply_tasks SET answered_seq = greatest(answered_seq, $3::integer), failures = 0
     FROM conversation WHERE conversation_id = conversation.id AND fence = $2::integer RETURNING is_assistants
   ),
   ${billAnswers('$5', '(SELECT CASE WHEN is_assistants THEN $6::text ELSE $7::text END FROM conversation)', 'EXISTS (SELECT FROM task)')}
   SELECT is_assistants AS "isAssistants" FROM task`,
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

const HELD = statement('reply-held', `SELECT 1 FROM reply_tasks WHERE conversation_id = $1 AND fence = $2`);

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
  constructor(
    private readonly database: Database,
    erasures: Erasures,
  ) {
    // It holds positions alone. Without it, no answer is made any more.
    erasures.register({
      erases: {},
      erase: async ({ id }) => {
        await this.database.query(DROP, [id]);
        return true;
      },
    });
  }

  /** Records that every message up to `seq` is answered, or needs no answer. @throws LeaseLostError */
  async answered({ conversation_id, fence }: ReplyTask, seq: number, transaction?: EntityManager): Promise<void> {
    const values = [conversation_id, fence, seq];
    const rows = transaction ? await askIn(transaction, ANSWERED, values) : await this.database.query(ANSWERED, values);
    if (rows.length === 0) throw new LeaseLostError('the conversation was taken over');
  }

  /** Whether this process still has the reply. */
  async isHeld({ conversation_id, fence }: ReplyTask): Promise<boolean> {
    return (await this.database.query(HELD, [conversation_id, fence])).length > 0;
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
   * @returns how many answers failed in a row; undefined when it did nothing
   */
  async giveUp(
    transaction: EntityManager,
    { conversation_id, fence }: ReplyTask,
    seq: number,
    events: readonly DomainEvent[],
    { isOwnFault = false } = {},
  ): Promise<number | undefined> {
    const values = [conversation_id, fence, seq, eventRows(events), isOwnFault];
    const [row] = await askIn<{ failures: number }>(transaction, GIVE_UP, values);
    return row?.failures;
  }

  /**
   * Bills a call that no message follows, and records that its messages need no other answer.
   * @returns whether the assistant still has the conversation; undefined when this process no longer has the reply
   */
  async billed(
    transaction: EntityManager,
    { conversation_id, fence, requested_seq }: ReplyTask,
    { handlingSeq }: { handlingSeq: number },
    answer: AiAnswer,
  ): Promise<{ isAssistants: boolean } | undefined> {
    const values = [conversation_id, fence, requested_seq, handlingSeq, ...answer.billRows(), answer.notSentRows()];
    return (await askIn<{ isAssistants: boolean }>(transaction, BILLED, values))[0];
  }

  private async record(prepared: Statement, values: unknown[]): Promise<boolean> {
    const [row] = await this.database.query<{ recorded: boolean }>(prepared, values);
    return row!.recorded;
  }
}
