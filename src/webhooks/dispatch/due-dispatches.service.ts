import { Injectable } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { ENDED, isFree, leaseOf } from '../../core/database/lease';
import { claimDeadline } from '../../core/work/claim-deadline';
import { ENVIRONMENTS_SQL, hasFaulty, LOOK_LIMIT, secondsSince } from '../../core/work/monitor/due-work-statement';
import { batchStatement, inLockOrder } from './batch-statement';

/**
 * How long a claimed dispatch is left alone by others, in seconds; its holder extends the lease while it works. So long
 * the receiver of a killed process waits.
 */
export const LEASE_SECONDS = 10;

/** Places for as many webhooks' shares stay free for those that are not busy yet. */
const SHARES_KEPT_FREE = 4;

/** A claimed dispatch with all that an attempt needs. */
export interface DueDispatch {
  event_id: string;
  webhook_id: string;
  environment: Environment;
  fence: number;
  attempts: number;
  retries: number;
  created_at: Date;
  event_type: EventType;
  body: string;
  /** The W3C trace context of the event's cause; undefined: the attempt belongs to the request under way. */
  traceparent?: string | null;
  url: string;
  secret: Buffer;
  /** Null once the overlap is over. */
  previous_secret: Buffer | null;
}

const LEASE = leaseOf(LEASE_SECONDS);

/**
 * $1: attempts at once per webhook, $2: free places, $3: all places, $4 and $5: webhooks this process is busy with, and
 * how busy, $6: until when the claim may be made, $7: the environment whose webhooks take part. First the webhooks of which anything is due (a loose index scan: one
 * step per webhook, however much waits), then each one's due rows into what is free of its share: a receiver's backlog
 * does not delay the others.
 *
 * The share shrinks with the number of webhooks that want one, and leaves part of all places to those that come later
 * (A. K. Choudhury and E. L. Hahne, "Dynamic queue length thresholds", 1998): twenty receivers that never answer would
 * else hold every place, and the healthy ones none.
 */
const CLAIM = batchStatement(`
  WITH RECURSIVE waiting AS (
    (
      SELECT webhook_id, next_at FROM webhook_dispatches
      WHERE next_at IS NOT NULL ORDER BY webhook_id, next_at LIMIT 1
    )
    UNION ALL
    SELECT n.* FROM waiting w CROSS JOIN LATERAL (
      SELECT webhook_id, next_at FROM webhook_dispatches
      WHERE next_at IS NOT NULL AND webhook_id > w.webhook_id ORDER BY webhook_id, next_at LIMIT 1
    ) n
  ),
  wanting AS (
    SELECT h.id FROM waiting JOIN webhooks h ON h.id = waiting.webhook_id AND h.status = 'active' AND h.environment = $7
    WHERE waiting.next_at <= now()
  ),
  share AS (
    SELECT least($1::integer, greatest($3::integer / (${SHARES_KEPT_FREE} + count(*)), 1))::integer AS size
    FROM wanting
  ),
  place AS (
    SELECT wanting.id, greatest(share.size - coalesce(busy.attempts, 0), 0) AS free
    FROM share CROSS JOIN wanting
    LEFT JOIN unnest($4::uuid[], $5::integer[]) AS busy (webhook_id, attempts) ON busy.webhook_id = wanting.id
    ORDER BY random()
  ),
  due AS (
    SELECT d.row_at FROM place CROSS JOIN LATERAL (
      SELECT ctid AS row_at FROM webhook_dispatches
      WHERE webhook_id = place.id AND next_at <= now() AND ${isFree()}
        AND now() < $6::timestamptz
      ORDER BY next_at LIMIT place.free FOR UPDATE SKIP LOCKED
    ) d
    LIMIT $2
  ),
  claimed AS (
    UPDATE webhook_dispatches SET lease_until = ${LEASE}, fence = fence + 1
    WHERE ctid = ANY (ARRAY(SELECT row_at FROM due))
    RETURNING event_id, webhook_id, fence, attempts, retries, created_at
  ),
  dispatch AS (
    SELECT c.*, e.environment, e.type AS event_type, e.body, e.traceparent, w.url, w.secret,
      CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret
    FROM claimed c JOIN events e ON e.id = c.event_id JOIN webhooks w ON w.id = c.webhook_id
  )
  SELECT share.size AS share, dispatch.* FROM share LEFT JOIN dispatch ON true`);

const HELD = `FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS held (event_id, webhook_id, fence)
  WHERE d.event_id = held.event_id AND d.webhook_id = held.webhook_id AND d.fence = held.fence`;

const EXTEND = batchStatement(`UPDATE webhook_dispatches d SET lease_until = ${LEASE} ${HELD}`);
const RELEASE = batchStatement(`UPDATE webhook_dispatches d SET lease_until = NULL ${HELD}`);

const FAULT = batchStatement(`UPDATE webhook_dispatches d SET faults = d.faults + 1, faulted_at = now() ${HELD}`);

const FREE = isFree();

/**
 * The state of the due work (DueState), a row for each environment. A dispatch of a webhook with attempts under way waits
 * for its turn, and one whose webhook is not active is held back: neither waits for an instance. Of each webhook it reads
 * those that are due longest, which claims take first; together `LOOK_LIMIT`, and one for each webhook.
 */
export const DISPATCHES_STATE = `
   WITH wanting AS (
     SELECT id, environment FROM webhooks
     WHERE status = 'active' AND EXISTS (SELECT FROM webhook_dispatches WHERE webhook_id = webhooks.id AND next_at <= now())
   ),
   due AS (
     SELECT environment, count(*) AS due, min(next_at) AS oldest, count(*) FILTER (WHERE NOT free) AS running
     FROM wanting CROSS JOIN LATERAL (
       SELECT next_at, ${FREE} AS free FROM webhook_dispatches
       WHERE webhook_id = wanting.id AND next_at <= now()
       ORDER BY next_at LIMIT 1 + ${LOOK_LIMIT} / (SELECT count(*) FROM wanting)
     ) dispatch
     GROUP BY environment, wanting.id
   )
   SELECT coalesce(sum(due), 0)::integer AS due, ${secondsSince('min(oldest)')} AS oldest_seconds,
     coalesce(sum(running), 0)::integer AS running,
     ${secondsSince('min(oldest) FILTER (WHERE running = 0)')} AS waiting_seconds,
     ${hasFaulty('webhook_dispatches')} AS faulty
   FROM ${ENVIRONMENTS_SQL} LEFT JOIN due USING (environment) GROUP BY environment`;

/** Whether a dispatch waits to be claimed. */
export const HAS_DUE_DISPATCH = `EXISTS (
  SELECT FROM webhooks JOIN webhook_dispatches ON webhook_id = webhooks.id
  WHERE webhooks.status = 'active' AND next_at <= now() AND ${FREE}
)`;

export const END_DISPATCH_LEASES = `
  UPDATE webhook_dispatches SET lease_until = ${ENDED} WHERE next_at IS NOT NULL AND lease_until > now()`;

export type Held = Pick<DueDispatch, 'event_id' | 'webhook_id' | 'fence'>;

/** Attempts that a process may have under way in one environment. */
export interface Slots {
  perWebhook: number;
  free: number;
  all: number;
}

export interface Claim {
  /** How many one webhook may have under way at present. */
  share: number;
  dispatches: DueDispatch[];
}

/** Takes due dispatches, in batches past other instances' locks; leases go by PostgreSQL's clock. */
@Injectable()
export class DueDispatches {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param busy attempts of this process under way, by webhook */
  async claim(environment: Environment, slots: Slots, busy: ReadonlyMap<string, number>): Promise<Claim> {
    const { perWebhook, free, all } = slots;
    const deadline = claimDeadline(this.clock);
    const values = [perWebhook, free, all, [...busy.keys()], [...busy.values()], deadline, environment];
    // One row at least: without any dispatch, the share alone.
    const rows = await this.database.query<DueDispatch & { share: number }>(CLAIM, values);
    return { share: rows[0]!.share, dispatches: rows.filter(({ event_id }) => event_id !== null) };
  }

  async extend(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(EXTEND, columnsOf(held));
  }

  /** Counts a fault of our own. The dispatch is claimed again when its lease has run out. */
  async failed(held: Held): Promise<void> {
    await this.database.query(FAULT, columnsOf([held]));
  }

  /** Gives dispatches back: no attempt was made, or none that counts. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(RELEASE, columnsOf(held));
  }
}

function columnsOf(held: readonly Held[]): unknown[] {
  const rows = inLockOrder(held);
  return [
    rows.map(({ event_id }) => event_id),
    rows.map(({ webhook_id }) => webhook_id),
    rows.map(({ fence }) => fence),
  ];
}
