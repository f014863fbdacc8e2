import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { toPublicId } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { Tracer } from '../../core/observability/tracing/tracer';
import { NOTHING_DUE, type Outcome } from '../../core/work/work-kind';
import type { WorkPlace } from '../../core/work/work-places';
import { Work } from '../../core/work/work.service';
import { Typing } from '../../messages/send/typing.service';
import { AiProviderError } from '../provider/ai-provider.error';
import { CALLED_FOR } from '../tools/rounds/reply-round.rows';
import { ReplyRounds } from '../tools/rounds/reply-rounds.service';
import { AnswerStore, UnstorableAnswerError } from './answer-store.service';
import { ReplyContexts, type ReplyContext } from './reply-context.service';
import { ReplyFailures } from './reply-failures.service';
import { ReplyLimits } from './reply-limits.service';
import { WAS_INTERRUPTED } from './reply-task.rows';
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
    private readonly limits: ReplyLimits,
    private readonly rounds: ReplyRounds,
    private readonly answers: AnswerStore,
    private readonly failures: ReplyFailures,
    private readonly typing: Typing,
    private readonly work: Work,
    private readonly configuration: Configuration,
    private readonly tracer: Tracer,
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
    if (task.requested_seq > task.answered_seq) {
      const context = await this.contexts.load(task);
      if (context === 'not yet') return this.tasks.later(task);
      if (!context) await this.tasks.answered(task, task.requested_seq);
      else if (!(await this.traced(context, () => this.answer(task, context, signal, place)))) return;
    }
    if (await this.tasks.finish(task)) return NOTHING_DUE;
  }

  /** Runs the work in the trace of the message that caused it; only the reply context knows that trace. */
  private traced<T>({ loadedAt, traceparent, call }: ReplyContext, work: () => Promise<T>): Promise<T> {
    const ids = { conversation_id: toPublicId('conversation', call.conversationId!) };
    return this.tracer.run('reply', { kind: 'consumer', parent: traceparent, startedAt: loadedAt, ids }, () => {
      const attributes = { 'gateway.messages': call.messages.length };
      this.tracer.start('load context', { startedAt: loadedAt, attributes }).end();
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
    const admission = await this.limits.admit(task, context);
    if (admission !== 'now') return admission === 'never';
    const stopTyping = this.typing.start(context);
    try {
      const answer = await this.rounds.complete(task, context, place, signal);
      if (answer) await this.answers.send(task, context, answer, signal);
      else await this.failures.ofTakeover(task, context);
      return true;
    } catch (error) {
      if (await this.limits.reached(task, context, error)) return true;
      if (!(error instanceof AiProviderError) || error.type === 'aborted') throw error;
      await this.failures.ofProvider(task, context, error);
      return false;
    } finally {
      stopTyping();
    }
  }
}
