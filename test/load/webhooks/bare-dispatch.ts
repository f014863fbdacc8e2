import type { Pool } from 'pg';
import { newUuid } from '#contracts';
import { EVENT_SCHEMA, eventValues, storeEvents, type BareEvent } from '../bare/bare-events';
import { AT_ONCE } from './bodies';
import { postEvent } from './bare-post';

const SCHEMA = `${EVENT_SCHEMA};
  CREATE INDEX dispatch_due ON dispatch (next_at);
  CREATE TABLE delivery (
    id uuid PRIMARY KEY, webhook_id uuid NOT NULL, event_id uuid NOT NULL, status text NOT NULL, duration_ms int NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX delivery_time ON delivery (webhook_id, created_at)`;

const COMMIT = { name: 'commit', text: `WITH ${storeEvents(1, 'true')} SELECT 1` };

/** A claimed dispatch is due again after the maximum time of an attempt. */
const CLAIM = {
  name: 'claim',
  text: `UPDATE dispatch d SET next_at = now() + interval '1 minute', attempts = attempts + 1
    FROM (SELECT webhook_id, event_id FROM dispatch WHERE next_at <= now() ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
      JOIN event e ON e.id = due.event_id
    WHERE d.webhook_id = due.webhook_id AND d.event_id = due.event_id
    RETURNING d.webhook_id, e.id, e.type, e.body`,
};

/** Records successful attempts. */
const RECORD = {
  name: 'record',
  text: `WITH done AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) AS t (id, webhook_id, event_id, duration_ms)
    ),
    over AS (
      DELETE FROM dispatch d USING done WHERE d.webhook_id = done.webhook_id AND d.event_id = done.event_id
    )
    INSERT INTO delivery SELECT id, webhook_id, event_id, 'success', duration_ms, now() FROM done`,
};

const COMMITTED_TOGETHER = 1_000;
const CLAIMED_TOGETHER = 200;

type Due = BareEvent & { webhook_id: string };
type Attempt = Due & { durationMs: number };

/** Delivers events to webhooks. It claims and records deliveries in batches, and a crash loses none. */
export class BareDispatch {
  private due: Due[] = [];
  private claiming?: Promise<void>;
  private made: Attempt[] = [];
  private recording?: Promise<void>;
  /** Webhook id → URL. */
  private readonly receivers: ReadonlyMap<string, URL>;

  /** @param receivers URLs, one per webhook */
  constructor(
    private readonly pool: Pool,
    receivers: readonly string[],
  ) {
    this.receivers = new Map(receivers.map((url) => [newUuid(), new URL(url)]));
  }

  async prepare(): Promise<void> {
    await this.pool.query(SCHEMA);
    await this.pool.query(`INSERT INTO webhook SELECT unnest($1::uuid[]), '{message.sent}'`, [
      [...this.receivers.keys()],
    ]);
  }

  /** Commits events, and resolves when an attempt for each event and webhook is recorded. */
  async deliver(events: readonly BareEvent[]): Promise<void> {
    for (let from = 0; from < events.length; from += COMMITTED_TOGETHER) {
      const batch = events.slice(from, from + COMMITTED_TOGETHER);
      await this.pool.query({ ...COMMIT, values: eventValues(batch, new Date()) });
    }
    let left = events.length * this.receivers.size;
    const loop = async () => {
      while (left > 0) {
        const next = await this.next();
        if (!next) return;
        left -= 1;
        const startedAt = performance.now();
        await postEvent(this.receivers.get(next.webhook_id)!, next);
        await this.record({ ...next, durationMs: Math.round(performance.now() - startedAt) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
  }

  /** @returns undefined if nothing is due */
  private async next(): Promise<Due | undefined> {
    if (this.due.length === 0) {
      this.claiming ??= this.claim().finally(() => (this.claiming = undefined));
      await this.claiming;
    }
    return this.due.pop();
  }

  private async claim(): Promise<void> {
    this.due = (await this.pool.query<Due>({ ...CLAIM, values: [CLAIMED_TOGETHER] })).rows;
  }

  /** Resolves once the attempt is recorded. Attempts made during a statement go into the next one together. */
  private async record(attempt: Attempt): Promise<void> {
    this.made.push(attempt);
    await this.recording;
    if (this.made.includes(attempt)) this.recording = this.recordAll();
    await this.recording;
  }

  private async recordAll(): Promise<void> {
    const made = this.made.splice(0);
    const values = [
      made.map(() => newUuid()),
      made.map(({ webhook_id: webhookId }) => webhookId),
      made.map(({ id }) => id),
      made.map(({ durationMs }) => durationMs),
    ];
    await this.pool.query({ ...RECORD, values });
  }
}
