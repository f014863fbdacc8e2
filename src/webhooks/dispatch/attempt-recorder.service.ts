import { Injectable, Logger } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { toPublicId, type Environment, type EventType } from '#contracts';
import { Database } from '../../core/database/database.service';
import { Batcher } from '../../core/work/batcher';
import { Work } from '../../core/work/work.service';
import { OWNER_MAIL } from '../mail/owner-mail';
import { RECORD, RECORD_WITH_STATUS } from './attempt.rows';
import { inLockOrder } from './batch-statement';
import type { Outcome } from './outcome';

const BATCH = 500;
/** How long a record waits for others, to be written with them, in milliseconds. The webhook's place is free by then. */
const GATHER_MS = 20;
/** Pause before a failed write is repeated, in milliseconds. */
const RETRY_MS = 250;

export interface AttemptRecord extends Omit<Outcome, 'retryAfterSeconds' | 'webhookStatus'> {
  id: string;
  webhook_id: string;
  event_id: string;
  /** The URL that was called. */
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
  /** Whether the last batch could not be written. */
  private waiting = false;
  private readonly attempts = new Batcher<AttemptRecord>((records) => this.write(records), {
    size: BATCH,
    gatherMs: GATHER_MS,
    retryMs: RETRY_MS,
    onFailure: (err, waiting) => this.failed(err, waiting),
  });

  constructor(
    private readonly database: Database,
    private readonly work: Work,
  ) {}

  /**
   * Resolves when the attempt is in the database; waits during an outage. Rejects after `giveUp`, or if the database refuses
   * this attempt.
   */
  record(record: AttemptRecord): Promise<void> {
    return this.attempts.add(record);
  }

  /** If an attempt cannot be recorded, its lease runs out and the event is delivered once more. */
  giveUp(): void {
    void this.attempts.close();
  }

  private async write(records: AttemptRecord[]): Promise<void> {
    const rows = JSON.stringify(inLockOrder(records));
    const record = records.some(({ webhook_status }) => webhook_status !== null) ? RECORD_WITH_STATUS : RECORD;
    const changes = await this.database.query<WebhookChange & QueryResultRow>(record, [rows]);
    this.waiting = false;
    if (changes.length > 0) this.tell(changes, records);
  }

  private failed(err: unknown, waiting: number): void {
    if (!this.waiting) this.logger.warn({ err }, `${waiting} webhook attempts are waiting for the database`);
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
