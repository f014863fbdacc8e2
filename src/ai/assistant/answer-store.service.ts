import { Injectable } from '@nestjs/common';
import { isCertainlyUndone } from '../../core/database/connections/connection-lost';
import { databaseErrorOf } from '../../core/database/connections/data-fault';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import { isOwnFault } from '../../core/work/monitor/own-fault';
import { MessagesService } from '../../messages/messages.service';
import type { OutboundDraft, OutboundMessage } from '../../messages/send/outbound-message';
import type { AiAnswer } from '../ai-call';
import { shownTokens } from '../provider/tokens';
import { STORE_ANSWER } from './answer.rows';
import { endAtSentence } from './end-at-sentence';
import type { ReplyContext } from './reply-context.service';
import { LeaseLostError, ReplyTasks, type ReplyTask } from './reply-tasks.service';

/** The database refused to store an answer. */
export class UnstorableAnswerError extends Error {
  constructor(cause: unknown) {
    super('the database rejected the answer', { cause });
  }
}

/** Stores answers. */
@Injectable()
export class AnswerStore {
  constructor(
    private readonly messages: MessagesService,
    private readonly tasks: ReplyTasks,
  ) {}

  /**
   * Stores the answer, its bill and which messages it covers, in one statement. From then on the answer is a pending message:
   * it is never generated a second time.
   * @returns undefined when a person took the conversation over: the answer is billed, and its event says that it was not sent
   * @throws LeaseLostError, UnstorableAnswerError, RateLimitError when the day's limit of billable messages is reached; the answer is billed
   */
  async store(task: ReplyTask, context: ReplyContext, answer: AiAnswer): Promise<OutboundMessage | undefined> {
    const { completion, costUsd } = answer;
    const { text, stopReason, model, tokens, latencyMs } = completion;
    const draft: OutboundDraft = {
      environment: task.environment,
      conversationId: task.conversation_id,
      platform: context.platform,
      account: context.account,
      recipient: context.participantId,
      content: stopReason === 'max_tokens' ? endAtSentence(text) : text,
      sentBy: 'assistant' as const,
      options: {
        parse_mode: 'markdown' as const,
        link_preview: true,
        ...(context.replyTo !== undefined && { reply_to: context.replyTo }),
      },
      ai: { model, tokens: shownTokens(tokens), latencyMs, costUsd },
      requestId: answer.requestId,
      answers: context.range.answers,
    };
    const stored = await this.messages
      .acceptAnswer(draft, STORE_ANSWER, [
        task.fence,
        task.requested_seq,
        ...answer.billRows(),
        context.clearedSeq,
        context.handlingSeq,
      ])
      .catch(async (error: unknown) => {
        // If the statement may have taken effect, a separate bill might count the answer twice.
        if (error instanceof RateLimitError || isCertainlyUndone(error)) await answer.billUnstored();
        throw databaseErrorOf(error) && isOwnFault(error) ? new UnstorableAnswerError(error) : error;
      });
    if (!stored && !(await this.tasks.isHeld(task))) throw new LeaseLostError('another instance has the reply');
    return stored;
  }
}
