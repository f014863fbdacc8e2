import { Injectable } from '@nestjs/common';
import type { Environment, EventType } from '#contracts';
import { Database } from '../../core/database/database';
import { batchStatement } from './batch-statement';

/**
 * How long a claimed dispatch is left alone by others, in seconds; its holder extends the lease while it works. So long
 * the receiver of a killed process waits.
 */
export const LEASE_SECONDS = 10;

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
  url: string;
  secret: Buffer;
  /** Null once the overlap is over. */
  previous_secret: Buffer | null;
}

const LEASE = `now() + interval '${LEASE_SECONDS} seconds'`;

/**
 * $1: attempts at once per webhook, $2: dispatches at most, $3 and $4: webhooks this process is busy with, and how busy.
 * First the webhooks that have anything waiting (a loose index scan: one step per webhook, however much waits), then each
 * one's due rows into its free places: a receiver's backlog stands in nobody else's way.
 */
const CLAIM = batchStatement(`
  WITH RECURSIVE waiting AS (
    (SELECT webhook_id FROM webhook_dispatches WHERE next_at IS NOT NULL ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT n.webhook_id FROM webhook_dispatches n
      WHERE n.next_at IS NOT NULL AND n.webhook_id > w.webhook_id ORDER BY n.webhook_id LIMIT 1
    )
    FROM waiting w WHERE w.webhook_id IS NOT NULL
  ),
  place AS (
    SELECT h.id, greatest($1::integer - coalesce(busy.attempts, 0), 0) AS free
    FROM waiting JOIN webhooks h ON h.id = waiting.webhook_id AND h.status = 'active'
    LEFT JOIN unnest($3::uuid[], $4::integer[]) AS busy (webhook_id, attempts) ON busy.webhook_id = h.id
    ORDER BY random()
  ),
  due AS (
    SELECT d.row_at FROM place CROSS JOIN LATERAL (
      SELECT ctid AS row_at FROM webhook_dispatches
      WHERE webhook_id = place.id AND next_at <= now() AND (lease_until IS NULL OR lease_until < now())
      ORDER BY next_at LIMIT place.free FOR UPDATE SKIP LOCKED
    ) d
    LIMIT $2
  ),
  claimed AS (
    UPDATE webhook_dispatches SET lease_until = ${LEASE}, fence = fence + 1
    WHERE ctid = ANY (ARRAY(SELECT row_at FROM due))
    RETURNING event_id, webhook_id, fence, attempts, retries, created_at
  )
  SELECT c.*, e.environment, e.type AS event_type, e.body, w.url, w.secret,
    CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret
  FROM claimed c JOIN events e ON e.id = c.event_id JOIN webhooks w ON w.id = c.webhook_id`);

const HELD = `FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS held (event_id, webhook_id, fence)
  WHERE d.event_id = held.event_id AND d.webhook_id = held.webhook_id AND d.fence = held.fence`;

const EXTEND = batchStatement(`UPDATE webhook_dispatches d SET lease_until = ${LEASE} ${HELD}`);
const RELEASE = batchStatement(`UPDATE webhook_dispatches d SET lease_until = NULL ${HELD}`);

export type Held = Pick<DueDispatch, 'event_id' | 'webhook_id' | 'fence'>;

/** Takes due dispatches, in batches past other instances' locks; leases go by PostgreSQL's clock. */
@Injectable()
export class DueDispatches {
  constructor(private readonly database: Database) {}

  /** @param busy attempts of this process under way, by webhook */
  claim(perWebhook: number, limit: number, busy: ReadonlyMap<string, number>): Promise<DueDispatch[]> {
    return this.database.query<DueDispatch>(CLAIM, [perWebhook, limit, [...busy.keys()], [...busy.values()]]);
  }

  async extend(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(EXTEND, columnsOf(held));
  }

  /** Gives dispatches back: no attempt was made, or none that counts. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length > 0) await this.database.query(RELEASE, columnsOf(held));
  }
}

function columnsOf(held: readonly Held[]): unknown[] {
  return [
    held.map(({ event_id }) => event_id),
    held.map(({ webhook_id }) => webhook_id),
    held.map(({ fence }) => fence),
  ];
}
