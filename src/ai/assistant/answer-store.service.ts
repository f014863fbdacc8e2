import { Injectable } from '@nestjs/common';
import { isCertainlyUndone } from '../../core/database/connections/connection-lost';
import { databaseErrorOf } from '../../core/database/connections/data-fault';
import { isOwnFault } from '../../core/work/monitor/own-fault';
import { MessagesService } from '../../messages/messages.service';
import type { OutboundMessage } from '../../messages/outbound/outbound-message';
import { acceptStatement } from '../../messages/outbound/outbound.rows';
import type { AiAnswer } from '../ai-calls.service';
import { billAnswers } from '../usage/usage-recorder.service';
import type { ReplyContext } from './reply-context.service';
import { LeaseLostError, type ReplyTask } from './reply-tasks.service';

const IS_HELD = 'EXISTS (SELECT FROM task)';

/**
 * It locks the conversation before the task, as the statement that stores an inbound message does. When the conversation was
 * taken over, it only bills the answer. An answer whose context was cleared while it was made is not part of a later one.
 */
const STORE = acceptStatement('reply-answer', ({ conversationId, options, own }) => ({
  first: `
    locked AS (SELECT cleared_seq FROM conversations WHERE id = ${conversationId}::uuid FOR NO KEY UPDATE),
    task AS (
      UPDATE reply_tasks SET answered_seq = greatest(answered_seq, ${own(1)}::integer)
      WHERE conversation_id = ${conversationId} AND fence = ${own(0)}::integer AND EXISTS (SELECT FROM locked) RETURNING 1
    ),
    ${billAnswers(own(2), own(3), IS_HELD)}`,
  condition: IS_HELD,
  options: `CASE WHEN (SELECT cleared_seq FROM locked) > ${own(4)}::integer
    THEN ${options}::jsonb || '{"in_context": false}' ELSE ${options}::jsonb END`,
}));

/** The database refused to store an answer. */
export class UnstorableAnswerError extends Error {
  constructor(cause: unknown) {
    super('the database refuses the answer', { cause });
  }
}

/** The rows of answers. */
@Injectable()
export class AnswerStore {
  constructor(private readonly messages: MessagesService) {}

  /**
   * Stores the answer, its bill and which messages it covers, in one statement. From then on the answer is a pending message:
   * it is always sent, and never generated a second time.
   * @throws LeaseLostError, UnstorableAnswerError
   */
  async store(task: ReplyTask, context: ReplyContext, answer: AiAnswer): Promise<OutboundMessage> {
    const { completion, costUsd } = answer;
    const { text, model, tokens, latencyMs } = completion;
    const draft = {
      environment: task.environment,
      conversationId: task.conversation_id,
      platform: context.platform,
      recipient: context.participantId,
      content: text,
      sentBy: 'assistant' as const,
      options: {
        parse_mode: 'markdown' as const,
        link_preview: true,
        ...(context.replyTo !== undefined && { reply_to: context.replyTo }),
      },
      ai: { model, tokens: { input: tokens.input, output: tokens.output }, latencyMs, costUsd },
      requestId: answer.requestId,
      answers: context.range.answers,
    };
    const stored = await this.messages
      .acceptAnswer(draft, STORE, [task.fence, task.requested_seq, ...answer.billRows(), context.clearedSeq])
      .catch(async (error: unknown) => {
        // Where the statement may have taken effect, a bill of its own might count the answer twice.
        if (isCertainlyUndone(error)) await answer.waste();
        throw databaseErrorOf(error) && isOwnFault(error) ? new UnstorableAnswerError(error) : error;
      });
    if (!stored) throw new LeaseLostError('the conversation was taken over');
    return stored;
  }
}
