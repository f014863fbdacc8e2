import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AnswerLimit } from '../../conversations/handover/raised-limits';
import type { HandoverRequest } from '../../conversations/handover/handovers.service';
import { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { SettingsService } from '../../core/settings/settings.service';
import { HandoverRequests } from '../../messages/handover/handover-requests.service';
import type { AiAnswer } from '../ai-call';
import type { ReplyContext } from './reply-context.service';
import { handOverOf } from '../tools/hand-over.tool';
import { LeaseLostError, ReplyTasks, type GivenUp, type ReplyTask } from './reply-tasks.service';

const LIMIT_WORDS: Readonly<Record<AnswerLimit | 'loop', string>> = {
  budget: 'The AI budget is spent',
  person: 'The daily AI budget of this person is spent',
  messages_per_minute: 'The conversation reached its limit of answers per minute',
  billable: 'The daily limit of billable messages is reached',
  loop: 'The conversation got too many answers in ten minutes',
};

/** Requests a person instead of an answer. One transaction stores the request and that no answer follows. */
@Injectable()
export class ReplyHandovers {
  constructor(
    private readonly requests: HandoverRequests,
    private readonly tasks: ReplyTasks,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** Requests a person because a limit refuses the answer. @param seconds until the limit has room; null: no wait helps */
  ofLimit(task: ReplyTask, limit: AnswerLimit, seconds: number | null): Promise<void> {
    const resumeAt = seconds === null ? undefined : new Date(this.clock.now() + Math.ceil(seconds) * 1_000);
    return this.instead(task, { reason: 'budget', limit, resumeAt });
  }

  /** Requests a person because the conversation got too many answers in ten minutes: perhaps two machines talk to each other. */
  ofLoop(task: ReplyTask): Promise<void> {
    return this.instead(task, { reason: 'loop' });
  }

  /** Requests a person because the model asks for one: its call is billed, and its text is not sent. */
  async ofModel(task: ReplyTask, context: ReplyContext, answer: AiAnswer): Promise<void> {
    const { environment, conversation_id: id } = task;
    const summary = handOverOf(answer.completion)!.summary;
    let isRequested = false;
    await this.requests.run(async (transaction) => {
      const billed = await this.tasks.billed(transaction, task, context, answer);
      if (!billed) throw new LeaseLostError('another instance has the reply');
      if (answer.completion.isRefused) await this.requests.leaveOut(transaction, context.open);
      isRequested = billed.isAssistants;
      return isRequested
        ? this.requests.request(transaction, environment, id, { reason: 'assistant', summary })
        : undefined;
    });
    answer.publish({ isSent: isRequested });
  }

  /**
   * Leaves the messages up to `seq` without an answer, and stores events about it. After too many failures in a row it requests a
   * person.
   */
  async afterFailure(task: ReplyTask, seq: number, events: readonly DomainEvent[], options: GivenUp) {
    const { environment, conversation_id: id } = task;
    const { after_failures: limit } = this.settings.of(environment).handover;
    let isRecorded = false;
    await this.requests.run(async (transaction) => {
      const failures = await this.tasks.giveUp(transaction, task, seq, events, options);
      isRecorded = failures !== undefined;
      if (failures === undefined || limit === null || failures < limit) return undefined;
      return this.requests.request(transaction, environment, id, { reason: 'failures' });
    });
    if (isRecorded) this.events.publish(events);
  }

  /**
   * Requests a person because every model declined to answer, and stores events about it. The refused messages leave the context:
   * models would refuse later ones because of them.
   */
  async ofRefusal(task: ReplyTask, { open }: ReplyContext, events: readonly DomainEvent[]): Promise<void> {
    const { environment, conversation_id: id } = task;
    let isRecorded = false;
    await this.requests.run(async (transaction) => {
      isRecorded = (await this.tasks.giveUp(transaction, task, task.requested_seq, events)) !== undefined;
      if (!isRecorded) return undefined;
      await this.requests.leaveOut(transaction, open);
      return this.requests.request(transaction, environment, id, { reason: 'refusal' });
    });
    if (isRecorded) this.events.publish(events);
  }

  private instead(task: ReplyTask, request: HandoverRequest): Promise<void> {
    const code = request.limit ?? 'loop';
    const error = { code, message: LIMIT_WORDS[code] };
    const { environment, conversation_id: id } = task;
    return this.requests.run(async (transaction: EntityManager) => {
      const requested = await this.requests.request(transaction, environment, id, request);
      await this.tasks.answered(task, task.requested_seq, { transaction, error });
      return requested;
    });
  }
}
