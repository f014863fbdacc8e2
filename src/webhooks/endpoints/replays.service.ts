import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { toPublicId } from '#contracts';
import { Database } from '../../core/database/database.service';
import { RateLimitError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { Work } from '../../core/work/work.service';
import { RateLimiter } from '../../core/rate-limiting/rate-limiter.service';
import { WEBHOOKS } from '../dispatch/webhook-work.service';
import type { ReplayedDto } from '../dto/delivery.dto';
import type { WebhookStatus } from '../dto/webhook.dto';
import { mustBeActive } from './endpoint-rules';
import { PLACES, REPLAY, STATUS } from './replay.rows';

/** Events queued by one statement, in a transaction of its own. */
export const STEP = 1_000;
/** The pause after each step, in milliseconds, added to the time that the step took: requests run in between. */
const PAUSE_MS = 50;
/** Replays at once in an environment, over all instances. */
export const AT_ONCE = 2;
/** Replays that a key may begin in a minute. */
export const PER_MINUTE = { limit: 10, seconds: 60 };
/** When a refused replay may try again, in seconds. */
const RETRY_SECONDS = 5;

/** Less than any id, so that a replay includes events of the first moment itself. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The command line has no key, and no limit of its own. */
type Replayer = Pick<Caller, 'environment'> & Partial<Pick<Caller, 'keyId'>>;

interface Step extends Record<string, unknown> {
  queued: number;
  seen: number;
  last_at: Date;
  last_id: string;
}

/**
 * Queues again all events that an active webhook has missed. A replay that breaks off (a crash, a disabled webhook) leaves
 * what it has queued; the same request made again queues the rest.
 */
@Injectable()
export class Replays {
  constructor(
    private readonly database: Database,
    private readonly limiter: RateLimiter,
    private readonly work: Work,
  ) {}

  /** @throws ApiError RESOURCE_NOT_FOUND, INVALID_REQUEST, RATE_LIMIT_EXCEEDED */
  async replay(caller: Replayer, webhookId: string, since: Date): Promise<ReplayedDto> {
    // This transaction only holds the place: each step has its own.
    const total = await this.database.transaction(async (place) => {
      await this.mustBeActive(caller, webhookId, place);
      await this.admit(caller, place);
      return this.queueAll(caller, webhookId, since, place);
    });
    return { webhook_id: toPublicId('webhook', webhookId), since: since.toISOString(), events_queued: total };
  }

  private async queueAll(caller: Replayer, webhookId: string, since: Date, place: PoolClient): Promise<number> {
    let after: [Date, string] = [since, BEFORE_ALL];
    for (let total = 0; ;) {
      const startedAt = performance.now();
      const [step] = await this.database.query<Step>(REPLAY, [webhookId, ...after, STEP]);
      const { queued, seen, last_at, last_id } = step!;
      total += queued;
      const isLast = seen < STEP;
      if (queued > 0) this.work.wake(WEBHOOKS, caller.environment, webhookId);
      if (!isLast) await sleep(PAUSE_MS + performance.now() - startedAt);
      // A step finds no events once the webhook is deleted: it is then not the last one, but stopped.
      await this.mustBeActive(caller, webhookId, place);
      if (isLast) return total;
      after = [last_at, last_id];
    }
  }

  private async admit({ environment, keyId }: Replayer, place: PoolClient): Promise<void> {
    const [row] = await this.database.query<{ taken: boolean }>(PLACES[environment], [], place);
    if (!row!.taken) throw atOnce();
    if (keyId === undefined) return;
    const { allowed, retryAfterSeconds = 1 } = await this.limiter.hit(`replays:${keyId}`, [PER_MINUTE]);
    if (!allowed) throw tooMany(retryAfterSeconds);
  }

  private async mustBeActive({ environment }: Replayer, id: string, client: PoolClient): Promise<void> {
    const [webhook] = await this.database.query<{ status: WebhookStatus }>(STATUS, [id, environment], client);
    mustBeActive(id, webhook);
  }
}

function atOnce(): RateLimitError {
  const details = { limit: AT_ONCE, window_seconds: RETRY_SECONDS, retry_after_seconds: RETRY_SECONDS };
  return new RateLimitError('replays', details, `${AT_ONCE} replays are already running in this environment.`);
}

function tooMany(retryAfterSeconds: number): RateLimitError {
  const { limit, seconds } = PER_MINUTE;
  const details = { limit, window_seconds: seconds, retry_after_seconds: retryAfterSeconds };
  return new RateLimitError('replays', details, `More than ${limit} replays in a minute.`);
}
