import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment } from '#contracts';
import { queryIn, Database } from '../../core/database/database.service';
import { Erasures } from '../../core/erasure/erasures.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { eventRows } from '../../core/events/event.rows';
import type { DueRow } from '../../core/work/due.rows';
import type { ReplyError } from '../../conversations/list/last-error';
import type { AiAnswer } from '../ai-call';
import {
  ANSWERED,
  ASK_AGAIN,
  FINISH,
  DROP,
  LATER,
  GIVE_UP,
  BILLED,
  RETRY,
  WAIT,
  HELD,
  INTERRUPTED,
} from './reply-task.rows';

export const REPLIES = 'replies';

export interface ReplyTask extends DueRow {
  conversation_id: string;
  environment: Environment;
  answered_seq: number;
  requested_seq: number;
  /** Whether it was already counted in the limit of its conversation: it waited for its turn, or is retried. */
  admitted: boolean;
  /** UUID of the request that failed at the provider: this round of attempts belongs to it. */
  request_id: string | null;
  /** The last position for which earlier attempts called tools; null: none did. */
  called_for: number | null;
  /** The process that worked on it before died. */
  was_interrupted: boolean;
}

/** Why a reply was given up. */
export interface GivenUp {
  /** Null if a person is asked for instead. */
  error?: ReplyError | null;
  isOwnFault?: boolean;
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
    // Without the row, no more answers are made.
    erasures.register({
      erases: {},
      erase: async ({ id }) => {
        await this.database.query(DROP, [id]);
        return true;
      },
    });
  }

  /**
   * Records that every message up to `seq` is answered, or needs no answer.
   * @param error why the messages get no answer, unless they need none
   * @throws LeaseLostError
   */
  async answered(
    { conversation_id, fence }: ReplyTask,
    seq: number,
    { transaction, error }: { transaction?: EntityManager; error?: ReplyError } = {},
  ): Promise<void> {
    const values = [conversation_id, fence, seq, error ? JSON.stringify(error) : null];
    const rows = transaction
      ? await queryIn(transaction, ANSWERED, values)
      : await this.database.query(ANSWERED, values);
    if (rows.length === 0) throw new LeaseLostError('the conversation was taken over');
  }

  /** Counts the death of the process that worked on the reply. @returns the faults of the gateway, including this one */
  async interrupted({ conversation_id, fence }: ReplyTask): Promise<number> {
    const [row] = await this.database.query<{ faults: number }>(INTERRUPTED, [conversation_id, fence]);
    if (!row) throw new LeaseLostError('the conversation was taken over');
    return row.faults;
  }

  /** Whether this process still has the reply. */
  async isHeld({ conversation_id, fence }: ReplyTask): Promise<boolean> {
    return (await this.database.query(HELD, [conversation_id, fence])).length > 0;
  }

  /** Releases the conversation's lease. @returns false if messages arrived meanwhile: the reply to them is due at once */
  async finish({ conversation_id, fence }: ReplyTask): Promise<boolean> {
    const [row] = await this.database.query<{ isDone: boolean }>(FINISH, [conversation_id, fence]);
    return row?.isDone ?? false;
  }

  async wait({ conversation_id, fence }: ReplyTask, seconds: number): Promise<void> {
    await this.database.query(WAIT, [conversation_id, fence, seconds]);
  }

  async later({ conversation_id, fence }: ReplyTask): Promise<void> {
    await this.database.query(LATER, [conversation_id, fence]);
  }

  /** Schedules a retry of the reply after some seconds, and stores the events of the failure. @returns whether it did */
  async retry(
    { conversation_id, fence }: ReplyTask,
    seconds: number,
    requestId: string,
    events: readonly DomainEvent[],
    error: ReplyError,
  ): Promise<boolean> {
    const values = [conversation_id, fence, seconds, requestId, eventRows(events), JSON.stringify(error)];
    const [row] = await this.database.query<{ recorded: boolean }>(RETRY, values);
    return row!.recorded;
  }

  /**
   * Leaves the messages up to `seq` without an answer, and stores events about it. Later messages are due at once.
   * @returns how many answers failed in a row; undefined when it did nothing
   */
  async giveUp(
    transaction: EntityManager,
    { conversation_id, fence }: ReplyTask,
    seq: number,
    events: readonly DomainEvent[],
    { error = null, isOwnFault = false }: GivenUp = {},
  ): Promise<number | undefined> {
    const values = [conversation_id, fence, seq, eventRows(events), isOwnFault, error && JSON.stringify(error)];
    const [row] = await queryIn<{ failures: number }>(transaction, GIVE_UP, values);
    return row?.failures;
  }

  /**
   * Makes the reply to an unanswered conversation due again.
   * @returns the position after which messages want an answer; undefined when the conversation is not unanswered
   */
  async askAgain(transaction: EntityManager, conversationId: string): Promise<number | undefined> {
    const [row] = await queryIn<{ seq: number }>(transaction, ASK_AGAIN, [conversationId]);
    return row?.seq;
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
    const values = [conversation_id, fence, requested_seq, handlingSeq, ...answer.billRows()];
    return (await queryIn<{ isAssistants: boolean }>(transaction, BILLED, values))[0];
  }
}
