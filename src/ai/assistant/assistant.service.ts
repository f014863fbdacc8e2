import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { newUuid, sanitizeText } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { RateLimiter } from '../../core/rate-limiting/sliding-window';
import { SettingsService } from '../../core/settings/settings.service';
import { DueWork } from '../../core/jobs/due-work.service';
import { MessagesService } from '../../messages/messages.service';
import type { OutboundMessage } from '../../messages/outbound/outbound-message';
import { Typing } from '../../messages/outbound/typing.service';
import { AiCalls, type AiAnswer } from '../ai-calls.service';
import { AiProviderError } from '../provider/ai-provider.error';
import { ReplyContexts, type ReplyContext } from './reply-context.service';
import { REPLIES, ReplyTasks, type ReplyTask } from './reply-tasks.service';

/**
 * Answers inbound messages: one answer at a time per conversation, in order; the next one covers all messages that arrive
 * meanwhile.
 */
@Injectable()
export class Assistant implements OnModuleInit {
  private readonly logger = new Logger(Assistant.name);

  constructor(
    private readonly tasks: ReplyTasks,
    private readonly contexts: ReplyContexts,
    private readonly calls: AiCalls,
    private readonly messages: MessagesService,
    private readonly typing: Typing,
    private readonly settings: SettingsService,
    private readonly limiter: RateLimiter,
    private readonly events: DomainEvents,
    private readonly work: DueWork,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.work.register<ReplyTask>({
      name: REPLIES,
      due: {
        table: 'reply_tasks',
        key: 'conversation_id',
        columns: 'conversation_id, environment, answered_seq, requested_seq',
        leaseSeconds: 15,
      },
      concurrency: 32,
      keyOf: (task) => task.conversation_id,
      run: (task, signal) => this.reply(task, signal),
    });
  }

  private async reply(task: ReplyTask, signal: AbortSignal): Promise<void> {
    if (await this.contexts.answerUnderWay(task.conversation_id)) return this.tasks.later(task);
    const { ai } = this.settings.of(task.environment);
    if (task.requested_seq > task.answered_seq) {
      const context = await this.contexts.load(task, ai.context_messages);
      if (context && ai.auto_reply && !context.aiPaused) await this.answer(task, context, signal);
      else await this.tasks.answered(task, task.requested_seq);
    }
    if (await this.tasks.finish(task)) this.work.signal(REPLIES);
  }

  private async answer(task: ReplyTask, context: ReplyContext, signal: AbortSignal): Promise<void> {
    if (!(await this.withinLimit(task))) return this.tasks.answered(task, task.requested_seq);
    const stopTyping = this.typing.start(context);
    try {
      const answer = await this.generate(task, context, signal);
      if (answer) await this.send(task, context, answer, signal);
      else await this.tasks.answered(task, task.requested_seq);
    } finally {
      stopTyping();
    }
  }

  /** @returns undefined when there will be no answer; the failure's event is published then */
  private async generate(
    task: ReplyTask,
    { messages }: ReplyContext,
    signal: AbortSignal,
  ): Promise<AiAnswer | undefined> {
    try {
      return await this.calls.complete(
        {
          environment: task.environment,
          requestId: newUuid(this.clock.now()),
          conversationId: task.conversation_id,
          messages,
          growing: messages.length > 1 && messages.length < this.settings.of(task.environment).ai.context_messages,
        },
        signal,
      );
    } catch (error) {
      if (!(error instanceof AiProviderError) || error.type === 'aborted') throw error;
      this.logger.warn(`No answer in conversation ${task.conversation_id}: ${error.message}`);
      return undefined;
    }
  }

  /**
   * Records the answer, its bill and the messages it covers in one transaction. From then on the answer is a pending
   * message: it is always sent, and never generated a second time.
   */
  private async send(task: ReplyTask, context: ReplyContext, answer: AiAnswer, signal: AbortSignal): Promise<void> {
    const message = await this.record(task, context, answer);
    answer.publish();
    await this.messages.deliverAnswer(message, signal);
  }

  private async record(task: ReplyTask, context: ReplyContext, answer: AiAnswer): Promise<OutboundMessage> {
    const { text, model, tokens, latencyMs } = answer.completion;
    let mayBeCommitted = false;
    try {
      return await this.database.transaction(async (client) => {
        await this.tasks.answered(task, task.requested_seq, client);
        const accepted = await this.messages.acceptAnswer(
          {
            environment: task.environment,
            conversationId: task.conversation_id,
            platform: context.platform,
            recipient: context.participantId,
            content: sanitizeText(text),
            options: { parse_mode: 'markdown', disable_notification: false, link_preview: true },
            ai: { model, tokens: { input: tokens.input, output: tokens.output }, latencyMs },
          },
          client,
        );
        // Last, because every answer of the hour locks the same row of the bill.
        await answer.record(client);
        mayBeCommitted = true;
        return accepted;
      });
    } catch (error) {
      // A commit that began may have taken effect: a separate bill might count the answer twice.
      if (!mayBeCommitted) await answer.waste();
      throw error;
    }
  }

  private async withinLimit(task: ReplyTask): Promise<boolean> {
    const { ai, rate_limits } = this.settings.of(task.environment);
    const window = { limit: rate_limits.messages_per_minute, seconds: 60 };
    const decision = await this.limiter.hit(`reply:${task.conversation_id}`, [window]);
    if (decision.allowed) return true;
    await this.events.record(
      this.events.create('ai.rate_limited', {
        environment: task.environment,
        provider: this.calls.provider(task.environment).name,
        model: ai.model,
        scope: 'messages_per_minute',
        retry_after_seconds: decision.retryAfterSeconds ?? null,
      }),
    );
    return false;
  }
}
