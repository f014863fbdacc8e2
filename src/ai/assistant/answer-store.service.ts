import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock/clock.service';
import { isCertainlyUndone } from '../../core/database/connections/connection-lost';
import { databaseErrorOf } from '../../core/database/connections/data-fault';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import { Metrics } from '../../core/observability/metrics.service';
import { isOwnFault } from '../../core/work/monitor/own-fault';
import { leftOut } from '../../messages/handover/left-out.rows';
import { MessagesService } from '../../messages/messages.service';
import type { OutboundDraft, OutboundMessage } from '../../messages/send/outbound-message';
import type { AiAnswer } from '../ai-call';
import { shownTokens } from '../provider/tokens';
import { handOverOf } from '../tools/hand-over.tool';
import { STORE_ANSWER, STORE_ANSWER_AFTER_REFUSAL } from './answer.rows';
import { endAtSentence } from './end-at-sentence';
import type { ReplyContext } from './reply-context.service';
import { ReplyHandovers } from './reply-handovers.service';
import { LeaseLostError, ReplyTasks, type ReplyTask } from './reply-tasks.service';

/** The database refused to store an answer. */
export class UnstorableAnswerError extends Error {
  constructor(cause: unknown) {
    super('the database rejected the answer', { cause });
  }
}

/** Stores and sends answers. */
@Injectable()
export class AnswerStore {
  constructor(
    private readonly messages: MessagesService,
    private readonly tasks: ReplyTasks,
    private readonly handovers: ReplyHandovers,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Stores the answer and sends it, or requests a person if the model asks for one. @throws as `store` */
  async send(task: ReplyTask, context: ReplyContext, answer: AiAnswer, signal: AbortSignal): Promise<void> {
    if (handOverOf(answer.completion)) return this.handovers.ofModel(task, context, answer);
    const message = await this.store(task, context, answer);
    answer.publish({ isSent: message !== undefined });
    if (!message) return;
    const { status } = await this.messages.deliverAnswer(message, signal);
    const waitedMs = this.clock.now() - context.open[0]!.arrivedAt.getTime();
    if (status === 'sent') this.metrics.replied(context.platform, context.environment, waitedMs);
  }

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
      .acceptAnswer(draft, completion.isRefused ? STORE_ANSWER_AFTER_REFUSAL : STORE_ANSWER, [
        task.fence,
        task.requested_seq,
        ...answer.billRows(),
        context.clearedSeq,
        context.handlingSeq,
        ...(completion.isRefused ? leftOut(context.open) : []),
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
