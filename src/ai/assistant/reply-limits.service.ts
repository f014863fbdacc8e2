import { Injectable, Logger } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { BillableLimit } from '../../billing/billable-limit.service';
import { Clock } from '../../core/clock/clock.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import { Metrics } from '../../core/observability/metrics.service';
import type { LimitDecision } from '../../core/rate-limiting/limit';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';
import { SettingsService } from '../../core/settings/settings.service';
import { AiCalls } from '../ai-calls.service';
import { BudgetSpentError } from '../usage/reservation';
import type { ReplyContext } from './reply-context.service';
import { ReplyHandovers } from './reply-handovers.service';
import { ReplyTasks, type ReplyTask } from './reply-tasks.service';

const MINUTE = 60;
/** A waiting reply tries again after this many seconds at the latest, because the limit may have been raised. */
const LONGEST_WAIT = 60;

/**
 * Whether a reply may be made. A limit that refuses it requests a person. Replies above `rate_limits.replies_per_minute` are
 * spread over the next minutes, in the order in which they arrive here.
 */
@Injectable()
export class ReplyLimits {
  private readonly logger = new Logger(ReplyLimits.name);
  /** The last turn that this instance gave, by environment, in Unix milliseconds. */
  private readonly lastTurns = new Map<Environment, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly billable: BillableLimit,
    private readonly handovers: ReplyHandovers,
    private readonly tasks: ReplyTasks,
    private readonly calls: AiCalls,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** @returns whether the reply may be made now; `later`: it waits for its turn; `never`: a person is requested instead */
  async admit(task: ReplyTask, context: ReplyContext): Promise<'now' | 'later' | 'never'> {
    const { environment, conversation_id: id } = task;
    const { answers_per_10_minutes: most } = this.settings.of(environment).handover;
    if (most !== null && context.recentAnswers >= most) {
      await this.handovers.ofLoop(task);
      this.logger.warn(`Too many answers in conversation ${toPublicId('conversation', id)}: requesting a person`);
      return 'never';
    }
    const { refusal, waitSeconds } = await this.turnOf(task);
    if (refusal) {
      await this.refuse(task, context, 'messages_per_minute', refusal.retryAfterSeconds ?? null);
      return 'never';
    }
    if (waitSeconds > 0) {
      // At most once a minute.
      const { allowed } = await this.limiter.hit(`replies-told:${environment}`, [{ limit: 1, seconds: MINUTE }]);
      if (allowed) await this.report(context, 'replies_per_minute', Math.ceil(waitSeconds));
      await this.tasks.wait(task, waitSeconds);
      return 'later';
    }
    const full = await this.billable.refusal(environment, context.platform);
    if (!full) return 'now';
    await this.refuse(task, context, 'billable', full.details.retry_after_seconds);
    return 'never';
  }

  /** Requests a person if a limit was reached while the answer was made. @returns false for any other error */
  async reached(task: ReplyTask, context: ReplyContext, error: unknown): Promise<boolean> {
    if (error instanceof BudgetSpentError) {
      const id = toPublicId('conversation', task.conversation_id);
      this.logger.warn(`No answer in conversation ${id}: ${error.message}`);
      await this.handovers.ofLimit(task, error.share.scope, error.retryAfterSeconds(this.clock.now()));
    } else if (error instanceof RateLimitError) {
      await this.refuse(task, context, 'billable', error.details.retry_after_seconds);
    } else return false;
    return true;
  }

  /**
   * Counts the reply in the limits of its conversation and of its environment in one round trip, because nearly every reply is made.
   * @returns a refusal if the conversation has had its replies of this minute; else the wait for its turn
   */
  private async turnOf({ environment, conversation_id, admitted }: ReplyTask) {
    const { messages_per_minute, replies_per_minute } = this.settings.of(environment).rate_limits;
    const replies = { key: `replies:${environment}`, windows: [{ limit: replies_per_minute, seconds: MINUTE }] };
    const now = this.clock.now();
    let reply: LimitDecision | undefined;
    if (admitted) {
      // If the limit has room, it does not wait behind the turns of later replies.
      reply = await this.limiter.hit(replies.key, replies.windows);
    } else {
      const isNext = (this.lastTurns.get(environment) ?? 0) <= now;
      const [message, next] = await Promise.all([
        this.limiter.hit(`reply:${conversation_id}`, [{ limit: messages_per_minute, seconds: MINUTE }]),
        isNext ? this.limiter.hit(replies.key, replies.windows) : undefined,
      ]);
      if (!message.allowed) return { refusal: message, waitSeconds: 0 };
      reply = next;
    }
    if (reply?.allowed) return { waitSeconds: 0 };
    const first = reply ? now + (reply.retryAfterSeconds ?? 1) * 1_000 : now;
    const spacing = (MINUTE * 1_000) / replies_per_minute;
    const turn = Math.min(
      Math.max(first, (this.lastTurns.get(environment) ?? 0) + spacing),
      now + LONGEST_WAIT * 1_000,
    );
    this.lastTurns.set(environment, turn);
    return { waitSeconds: (turn - now) / 1_000 };
  }

  private async refuse(
    task: ReplyTask,
    context: ReplyContext,
    scope: 'messages_per_minute' | 'billable',
    seconds: number | null,
  ): Promise<void> {
    await this.report(context, scope, seconds);
    await this.handovers.ofLimit(task, scope, seconds);
  }

  private async report(
    { call }: ReplyContext,
    scope: 'messages_per_minute' | 'replies_per_minute' | 'billable',
    seconds: number | null,
  ): Promise<void> {
    this.metrics.refused(scope);
    await this.events.record(this.calls.limitedEvent(call, scope, seconds));
  }
}
