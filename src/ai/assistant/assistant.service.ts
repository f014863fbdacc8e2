import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { newUuid, toPublicId } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { DomainEvents } from '../../core/events/domain-events.service';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import { Metrics } from '../../core/observability/metrics.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';
import { personOf } from '../../core/secrets/person';
import { SettingsService } from '../../core/settings/settings.service';
import { NOTHING_DUE, type Outcome } from '../../core/work/work-kind';
import type { WorkPlace } from '../../core/work/work-places';
import { Work } from '../../core/work/work.service';
import { BillableLimit } from '../../billing/billable-limit.service';
import { MessagesService } from '../../messages/messages.service';
import type { OutboundMessage } from '../../messages/send/outbound-message';
import { Typing } from '../../messages/send/typing.service';
import type { AiCall } from '../ai-call';
import { AiCalls } from '../ai-calls.service';
import { AiProviderError } from '../provider/ai-provider.error';
import { BudgetSpentError } from '../usage/reservation';
import { AnswerStore, UnstorableAnswerError } from './answer-store.service';
import { ReplyContexts, type ReplyContext } from './reply-context.service';
import { ReplyHandovers } from './reply-handovers.service';
import { ReplyFailures } from './reply-failures.service';
import { WAS_INTERRUPTED } from './reply-task.rows';
import { REPLIES, ReplyTasks, type ReplyTask } from './reply-tasks.service';
import { ReplyTurns } from './reply-turns.service';
import { handOverOf } from '../tools/hand-over.tool';
import { CALLED_FOR } from '../tools/rounds/reply-round.rows';
import { ReplyRounds } from '../tools/rounds/reply-rounds.service';
import { ToolRounds } from '../tools/rounds/tool-rounds.service';

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
    private readonly rounds: ReplyRounds,
    private readonly tools: ToolRounds,
    private readonly answers: AnswerStore,
    private readonly messages: MessagesService,
    private readonly typing: Typing,
    private readonly settings: SettingsService,
    private readonly turns: ReplyTurns,
    private readonly failures: ReplyFailures,
    private readonly handovers: ReplyHandovers,
    private readonly billable: BillableLimit,
    private readonly events: DomainEvents,
    private readonly work: Work,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    private readonly secrets: DeploymentSecrets,
    private readonly accounts: Accounts,
  ) {}

  onModuleInit(): void {
    this.work.register<ReplyTask>({
      name: REPLIES,
      due: {
        table: 'reply_tasks',
        key: 'conversation_id',
        environment: 'environment',
        columns: `conversation_id, answered_seq, requested_seq, admitted, request_id, ${WAS_INTERRUPTED}, ${CALLED_FOR}`,
        leaseSeconds: 15,
      },
      concurrency: this.configuration.ai.concurrency,
      run: (task, signal, place) => this.run(task, signal, place),
      giveUp: (task) => this.failures.ofGateway(task),
    });
  }

  private async run(task: ReplyTask, signal: AbortSignal, place: WorkPlace): Promise<Outcome> {
    // Messages that have come since tools were called get an answer of their own.
    task.requested_seq = task.called_for ?? task.requested_seq;
    if (task.was_interrupted) task.faults = await this.tasks.interrupted(task);
    try {
      return await this.reply(task, signal, place);
    } catch (error) {
      // An answer that the database refuses is paid for: it is generated twice at most.
      if (!(error instanceof UnstorableAnswerError) || task.faults === 0) throw error;
      this.logger.error(
        { err: error },
        `The reply in conversation ${toPublicId('conversation', task.conversation_id)} was abandoned`,
      );
      await this.failures.ofGateway(task);
    }
  }

  private async reply(task: ReplyTask, signal: AbortSignal, place: WorkPlace): Promise<Outcome> {
    const { ai } = this.settings.of(task.environment);
    if (task.requested_seq > task.answered_seq) {
      const loadedAt = this.clock.now();
      const context = await this.contexts.load(task, ai.context_messages);
      if (context === 'not yet') return this.tasks.later(task);
      const isOn = context && (this.accounts.settingsOf(context).ai?.auto_reply ?? ai.auto_reply);
      if (!context || !isOn || context.handling !== 'assistant') await this.tasks.answered(task, task.requested_seq);
      else if (await this.handovers.ofLoop(task, context))
        this.logger.warn(
          `Too many answers in conversation ${toPublicId('conversation', task.conversation_id)}: requesting a person`,
        );
      else if (!(await this.traced(task, context, loadedAt, () => this.answer(task, context, signal, place)))) return;
    }
    if (await this.tasks.finish(task)) return NOTHING_DUE;
  }

  /** Runs the work in the trace of the message that caused it; only the reply context knows that trace. */
  private traced<T>(
    task: ReplyTask,
    { traceparent, messages }: ReplyContext,
    startedAt: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const ids = { conversation_id: toPublicId('conversation', task.conversation_id) };
    return this.tracer.run('reply', { kind: 'consumer', parent: traceparent, startedAt, ids }, () => {
      this.tracer.start('load context', { startedAt, attributes: { 'gateway.messages': messages.length } }).end();
      return work();
    });
  }

  /** @returns true if the answer was made or will never be made; false if it waits, or was given up */
  private async answer(
    task: ReplyTask,
    context: ReplyContext,
    signal: AbortSignal,
    place: WorkPlace,
  ): Promise<boolean> {
    const { refusal, waitSeconds } = await this.turns.decide(task);
    if (refusal) {
      await this.refuse(task, context, 'messages_per_minute', refusal.retryAfterSeconds ?? null);
      return true;
    }
    if (waitSeconds > 0) {
      await this.wait(task, context, waitSeconds);
      return false;
    }
    const { environment } = task;
    const full = await this.billable.refusal(environment, context.platform);
    if (full) {
      await this.refuse(task, context, 'billable', full.details.retry_after_seconds);
      return true;
    }
    const requestId = task.request_id ?? newUuid(this.clock.now());
    const stopTyping = this.typing.start(context);
    try {
      const turn = await this.rounds.turnOf(task, context, place);
      const answer = await this.tools.complete(this.callOf(task, context, requestId), turn, signal);
      if (!answer) {
        await this.failures.ofTakeover(task, context, requestId);
        return true;
      }
      if (handOverOf(answer.completion)) {
        await this.handovers.ofModel(task, context, answer);
        return true;
      }
      const message = await this.answers.store(task, context, answer);
      answer.publish({ isSent: message !== undefined });
      if (message) await this.send(message, context, signal);
      return true;
    } catch (error) {
      if (error instanceof BudgetSpentError) {
        this.logger.warn(
          `No answer in conversation ${toPublicId('conversation', task.conversation_id)}: ${error.message}`,
        );
        await this.handovers.ofLimit(task, error.share.scope, error.retryAfterSeconds(this.clock.now()));
        return true;
      }
      // Other messages reached the limit while the answer was made.
      if (error instanceof RateLimitError) {
        await this.refuse(task, context, 'billable', error.details.retry_after_seconds);
        return true;
      }
      if (!(error instanceof AiProviderError) || error.type === 'aborted') throw error;
      await this.failures.ofProvider(task, context, requestId, error);
      return false;
    } finally {
      stopTyping();
    }
  }

  private callOf(task: ReplyTask, context: ReplyContext, requestId: string): AiCall {
    const { messages } = context;
    const { ai, handover } = this.settings.of(task.environment);
    const { model, system_prompt: system } = this.accounts.settingsOf(context).ai ?? {};
    return {
      environment: task.environment,
      requestId,
      conversationId: task.conversation_id,
      messages,
      range: context.range,
      growing: messages.length > 1 && messages.length < ai.context_messages,
      isRepeated: task.request_id !== null,
      // Files may have filled the memory of the process that died: the same answer would end this one too.
      withoutFiles: task.faults > 0,
      mayHandOver: handover.by_assistant,
      persons: this.personsOf(context),
      ...(model !== undefined && { model }),
      ...(system !== undefined && { system }),
    };
  }

  private async send(
    message: OutboundMessage,
    { platform, environment, open }: ReplyContext,
    signal: AbortSignal,
  ): Promise<void> {
    const { status } = await this.messages.deliverAnswer(message, signal);
    if (status === 'sent') this.metrics.replied(platform, environment, this.clock.now() - open[0]!.arrivedAt.getTime());
  }

  private async wait(task: ReplyTask, context: ReplyContext, seconds: number): Promise<void> {
    if (await this.turns.mayReport(task.environment))
      await this.tell(task, context, 'replies_per_minute', Math.ceil(seconds));
    await this.tasks.wait(task, seconds);
  }

  /** A limit refuses the answer: a person is requested. */
  private async refuse(
    task: ReplyTask,
    context: ReplyContext,
    scope: 'messages_per_minute' | 'billable',
    seconds: number | null,
  ): Promise<void> {
    await this.tell(task, context, scope, seconds);
    await this.handovers.ofLimit(task, scope, seconds);
  }

  private async tell(
    { environment, conversation_id: conversationId }: ReplyTask,
    { range }: ReplyContext,
    scope: 'messages_per_minute' | 'replies_per_minute' | 'billable',
    retryAfterSeconds: number | null,
  ): Promise<void> {
    this.metrics.refused(scope);
    await this.events.record(this.calls.limitedEvent({ environment, conversationId, range }, scope, retryAfterSeconds));
  }

  /** The authors of the messages to answer, newest first. */
  private personsOf({ environment, platform, open }: ReplyContext): string[] {
    const senders = new Set(open.map(({ senderId }) => senderId).toReversed());
    return [...senders].map((id) => personOf(this.secrets, environment, platform, id));
  }
}
