import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import type { LimitDecision } from '../../core/rate-limiting/limit';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';
import { SettingsService } from '../../core/settings/settings.service';
import type { ReplyTask } from './reply-tasks.service';

const MINUTE = 60;
/** A waiting reply tries again after this many seconds at the latest, because the limit may have been raised. */
const LONGEST_WAIT = 60;

/** Whether a reply may be made. */
export interface ReplyTurn {
  /** Set if the conversation has had its replies of this minute: there will be no reply. */
  refusal?: LimitDecision;
  /** 0: now */
  waitSeconds: number;
}

/** Spreads replies above `rate_limits.replies_per_minute` over the next minutes, in the order in which they arrive here. */
@Injectable()
export class ReplyTurns {
  /** The last turn that this instance gave, by environment, in Unix milliseconds. */
  private readonly lastTurns = new Map<Environment, number>();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  /** Counts the reply in the limits of its conversation and of its environment in one round trip, because nearly every reply is made. */
  async decide({ environment, conversation_id, admitted }: ReplyTask): Promise<ReplyTurn> {
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

  /** Whether to report the wait: at most once a minute. */
  async mayReport(environment: Environment): Promise<boolean> {
    const windows = [{ limit: 1, seconds: MINUTE }];
    return (await this.limiter.hit(`replies-told:${environment}`, windows)).allowed;
  }
}
