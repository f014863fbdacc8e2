import { Injectable, Logger } from '@nestjs/common';
import { newUuid, toPublicId } from '#contracts';
import { backoffMs, type Backoff } from '../../core/clock/backoff';
import { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { SettingsService } from '../../core/settings/settings.service';
import type { ReplyError } from '../../conversations/list/last-error';
import { AiCalls } from '../ai-calls.service';
import type { AiErrorType, AiProviderError } from '../provider/ai-provider.error';
import { ReplyContexts, type ReplyContext } from './reply-context.service';
import { ReplyHandovers } from './reply-handovers.service';
import { ReplyTasks, type ReplyTask } from './reply-tasks.service';

/** Rounds are at most 30 s apart: an instance may find the reply two seconds after it has become due. */
const BACKOFF: Backoff = { baseMs: 5_000, capMs: 28_000 };

/** Errors in the words of the owner, who does not know the provider's. */
const ERROR_WORDS: Readonly<Partial<Record<AiErrorType, string>>> = {
  overloaded: 'The AI is overloaded',
  rate_limited: 'The AI provider limits the rate of requests',
  timeout: 'The AI did not answer in time',
  unavailable: 'The AI is unavailable',
  authentication: 'The AI provider refuses the key',
  spend_limit: 'The account at the AI provider has no credit',
  not_configured: 'No AI is set up',
};
/** The `type` of the error if a person took the conversation over. */
const TAKEN_OVER = 'taken_over';

/** Decides whether a reply that failed stays due or is given up (ADR 72). */
@Injectable()
export class ReplyFailures {
  private readonly logger = new Logger(ReplyFailures.name);

  constructor(
    private readonly tasks: ReplyTasks,
    private readonly contexts: ReplyContexts,
    private readonly handovers: ReplyHandovers,
    private readonly calls: AiCalls,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * Records that a round of attempts at the provider failed. Events report the first failure and the end, not the rounds in
   * between.
   */
  async ofProvider(task: ReplyTask, context: ReplyContext, error: AiProviderError): Promise<void> {
    const { call } = context;
    const first = task.request_id === null ? [this.calls.failureEvent(call, error)] : [];
    const last = this.calls.errorEvent(call, { type: error.type, message: error.message, retryable: false });
    const answerWithinMs = this.settings.of(task.environment).ai.answer_within_minutes * 60_000;
    if (error.type === 'refusal') {
      this.logger.warn(
        `No answer in conversation ${toPublicId('conversation', task.conversation_id)}: ${error.message}`,
      );
      return this.handovers.ofRefusal(task, context, first.length > 0 ? first : [last]);
    }
    if (!error.retryable) return this.giveUp(task, task.requested_seq, first.length > 0 ? first : [last], error);
    // The first failure alone would say that the gateway asks again.
    if (answerWithinMs === 0) {
      const limited = error.type === 'rate_limited' ? first : [];
      return this.giveUp(task, task.requested_seq, [...limited, last], error);
    }

    const now = this.clock.now();
    const timeLeft = ({ arrivedAt }: { arrivedAt: Date }) => arrivedAt.getTime() + answerWithinMs - now;
    const late = context.open.filter((message) => timeLeft(message) <= 0);
    if (late.length > 0) {
      const isAll = late.length === context.open.length;
      const seq = isAll ? task.requested_seq : Math.max(...late.map((message) => message.seq));
      return this.giveUp(task, seq, [...first, last], error);
    }
    const askedMs = (error.retryAfterSeconds ?? 0) * 1_000;
    const pauseMs = Math.min(Math.max(backoffMs(task.attempts, BACKOFF), askedMs), BACKOFF.capMs);
    const seconds = Math.min(pauseMs, ...context.open.map(timeLeft)) / 1_000;
    this.logger.warn(
      `No answer yet in conversation ${toPublicId('conversation', task.conversation_id)}: ${error.message}; retrying in ${seconds} s`,
    );
    if (await this.tasks.retry(task, seconds, call.requestId, first, toReplyError(error))) this.events.publish(first);
  }

  /** Gives a reply up because the gateway itself failed to make or record the answer. */
  async ofGateway(task: ReplyTask): Promise<void> {
    const requestId = task.request_id ?? newUuid(this.clock.now());
    const range = await this.contexts.rangeOf(task);
    const call = { environment: task.environment, requestId, conversationId: task.conversation_id, range };
    const message = 'The gateway repeatedly failed to make or record the answer.';
    const event = this.calls.errorEvent(call, { type: 'internal', message, retryable: false });
    const error = { code: 'internal', message };
    await this.handovers.afterFailure(task, task.requested_seq, [event], { error, isOwnFault: true });
  }

  /** A person took the conversation over while tools were called: what was spent is billed, and nothing is sent. */
  async ofTakeover(task: ReplyTask, { call }: ReplyContext): Promise<void> {
    const message = 'A person took the conversation over before the answer was made.';
    await this.events.record(this.calls.errorEvent(call, { type: TAKEN_OVER, message, retryable: false }));
    await this.tasks.answered(task, task.requested_seq);
  }

  private async giveUp(task: ReplyTask, seq: number, events: DomainEvent[], error: AiProviderError): Promise<void> {
    this.logger.warn(`No answer in conversation ${toPublicId('conversation', task.conversation_id)}: ${error.message}`);
    await this.handovers.afterFailure(task, seq, events, { error: toReplyError(error) });
  }
}

function toReplyError({ type, message }: AiProviderError): ReplyError {
  return { code: type, message: ERROR_WORDS[type] ?? message };
}
