import { Injectable, Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { toPublicId, type Environment, type EventType } from '#contracts';
import { Database } from '../../core/database/database.service';
import { Batcher } from '../../core/work/batcher';
import { Work } from '../../core/work/work.service';
import { OWNER_MAIL } from '../mail/owner-mail';
import { batchStatement, inLockOrder } from './batch-statement';
import type { Outcome } from './outcome';

/** Attempts written by one statement. */
const BATCH = 500;
/** How long an attempt waits for others to be written with it, in milliseconds. Its share of the webhook is free already. */
const GATHER_MS = 20;
/** While the database is away. */
const AGAIN_MS = 250;

/** The attempts of a batch, and the next state of their dispatches, for the instance that still holds them under its fence. */
const HELD = `
  attempt AS (
    SELECT * FROM json_to_recordset($1::json) AS a (id uuid, webhook_id uuid, event_id uuid, environment environment,
      url text, event_type text, fence integer, number integer, status text, response_code integer, response_time_ms integer,
      response_body text, response_headers json, signed_twice boolean, error text, at timestamptz, state text, retry_after_seconds double precision,
      webhook_status text, mail_id uuid, mail_subject text, mail_text text)
  ),
  held AS (
    UPDATE webhook_dispatches d SET state = a.state, attempts = a.number, lease_until = NULL, faults = 0,
      retries = d.retries + CASE WHEN a.state = 'pending' THEN 1 ELSE 0 END,
      delivered_at = CASE WHEN a.state = 'delivered' THEN coalesce(d.delivered_at, now()) ELSE d.delivered_at END,
      next_at = CASE WHEN a.state = 'pending' THEN now() + make_interval(secs => a.retry_after_seconds) END,
      fence = d.fence + 1
    FROM attempt a WHERE d.event_id = a.event_id AND d.webhook_id = a.webhook_id AND d.fence = a.fence
    RETURNING a.id, d.next_at
  )`;

/** The dispatch may have gone with its erased event: then the answer is not kept. */
const ofHeld = (column: string) => `CASE WHEN held.id IS NOT NULL THEN ${column} END`;

const INSERT = `
  INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, attempt, status, response_code, response_time_ms,
    response_body, response_headers, url, signed_twice, error, next_retry_at, created_at)
  SELECT a.id, a.webhook_id, a.event_id, a.event_type, a.number, a.status, a.response_code, a.response_time_ms,
    ${ofHeld('a.response_body')}, ${ofHeld('a.response_headers')}, a.url, a.signed_twice, a.error, held.next_at, a.at
  FROM attempt a LEFT JOIN held ON held.id = a.id
  ON CONFLICT (id) DO NOTHING`;

/** Records a batch of attempts. Run twice, it changes nothing more. */
const RECORD = batchStatement(`WITH ${HELD} ${INSERT}`);

/**
 * The same for a batch in which an attempt fails or disables its webhook: it also writes the webhook's new status and the mail to its
 * owner. A verdict on a URL that the webhook no longer has does not count. Few batches need this part, and planning it takes a
 * seventh of a record's time.
 */
const RECORD_VERDICTS = batchStatement(`
  WITH ${HELD},
  recorded AS (${INSERT}),
  verdict AS (
    SELECT DISTINCT ON (a.webhook_id, a.url) a.* FROM attempt a JOIN held ON held.id = a.id
    WHERE a.webhook_status IS NOT NULL ORDER BY a.webhook_id, a.url, a.webhook_status
  ),
  changed AS (
    UPDATE webhooks w SET status = v.webhook_status, updated_at = now()
    FROM verdict v WHERE w.id = v.webhook_id AND w.url = v.url AND w.status = 'active'
    RETURNING v.*
  ),
  mail AS (
    INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
    SELECT mail_id, environment, mail_subject, mail_text, now(), now() FROM changed WHERE mail_id IS NOT NULL
  )
  SELECT webhook_id, webhook_status FROM changed`);

/** One attempt, to be recorded. */
export interface AttemptRecord extends Omit<Outcome, 'retryAfterSeconds' | 'webhookStatus'> {
  id: string;
  webhook_id: string;
  event_id: string;
  /** Where it went. */
  url: string;
  environment: Environment;
  event_type: EventType;
  fence: number;
  number: number;
  response_code: number | null;
  response_time_ms: number;
  response_body: string | null;
  response_headers: Record<string, string> | null;
  signed_twice: boolean;
  at: Date;
  retry_after_seconds: number | null;
  webhook_status: 'failed' | 'disabled' | null;
  /** For log lines; undefined while tracing is off. */
  trace_id?: string;
  mail_id?: string;
  mail_subject?: string;
  mail_text?: string;
}

interface WebhookChange {
  webhook_id: string;
  webhook_status: 'failed' | 'disabled';
}

/** Writes attempts in batches. */
@Injectable()
export class AttemptRecorder {
  private readonly logger = new Logger(AttemptRecorder.name);
  /** The last batch could not be written. */
  private waiting = false;
  private readonly attempts = new Batcher<AttemptRecord>((records) => this.write(records), {
    size: BATCH,
    gatherMs: GATHER_MS,
    retryMs: AGAIN_MS,
    onFailure: (err, waiting) => this.failed(err, waiting),
  });

  constructor(
    private readonly database: Database,
    private readonly work: Work,
  ) {}

  /**
   * Resolves when the attempt is in the database. An outage is waited out; rejects once `giveUp` was called, or where
   * the database refuses the attempt itself.
   */
  record(record: AttemptRecord): Promise<void> {
    return this.attempts.add(record);
  }

  /** What cannot be recorded now is left to the leases: it will be delivered once more. */
  giveUp(): void {
    this.attempts.close();
  }

  private async write(records: AttemptRecord[]): Promise<void> {
    const rows = JSON.stringify(inLockOrder(records));
    const record = records.some(({ webhook_status }) => webhook_status !== null) ? RECORD_VERDICTS : RECORD;
    const changes = await this.database.query<WebhookChange & QueryResultRow>(record, [rows]);
    this.waiting = false;
    if (changes.length > 0) this.tell(changes, records);
  }

  private failed(err: unknown, waiting: number): void {
    if (!this.waiting) this.logger.warn({ err }, `${waiting} webhook attempts wait for the database`);
    this.waiting = waiting > 0;
  }

  private tell(changes: readonly WebhookChange[], records: readonly AttemptRecord[]): void {
    for (const { webhook_id, webhook_status } of changes) {
      const cause = records.find((each) => each.webhook_id === webhook_id && each.webhook_status === webhook_status)!;
      this.logger.warn(
        {
          webhook_id: toPublicId('webhook', webhook_id),
          event_id: toPublicId('event', cause.event_id),
          delivery_id: toPublicId('delivery', cause.id),
          ...(cause.trace_id !== undefined && { trace_id: cause.trace_id }),
        },
        `Webhook ${toPublicId('webhook', webhook_id)} is now ${webhook_status}`,
      );
      if (cause.mail_id !== undefined) this.work.wake(OWNER_MAIL, cause.environment, cause.mail_id);
    }
  }
}
