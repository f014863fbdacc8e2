import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { Outage } from '../../core/database/outage.service';
import { claimDeadline } from '../../core/jobs/claim-deadline';
import { DueWork } from '../../core/jobs/due-work.service';
import { PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { DeliveryConfirmer, type Unconfirmed } from '../receipts/delivery-confirmer.service';
import { WATERMARK } from '../watermark';
import { SEND_LEASE_SECONDS } from './outbound-store.service';
import { PENDING_SENDS } from './send-recovery.service';

/** Most leases run out at this age, so that a search of the messages that are about as old finds what a crash left. */
const INTERVAL_MS = 5_000;
const RECENT_MS = (SEND_LEASE_SECONDS + 10) * 1_000;
/** How often all messages are searched that may still have a lease. */
const THOROUGH_INTERVAL_MS = 30_000;
const BATCH = 1_000;

/** Each message is searched a few times, in its first minutes. */
const SINCE = `environment = ANY ('{live,test}'::environment[]) AND created_at >= $1::timestamptz
  AND status IN ('pending', 'sent')`;

/** Planned anew each time: a general plan would read the table. */
const FIND = statement(
  '',
  `SELECT m.id, m.status, m.environment, m.platform, m.conversation_id AS "conversationId",
     c.participant_id AS recipient, c.participant_name AS "recipientName", m.traceparent
   FROM (SELECT * FROM messages WHERE ${SINCE} AND lease_until < now() LIMIT ${BATCH}) m
   JOIN conversations c ON c.id = m.conversation_id`,
);

/** $2: until when a claim may be made (see claimDeadline). A process that still lives has lost the lease then. */
const ADOPT = statement(
  'sends-adopt',
  `WITH message AS (
     UPDATE messages SET lease_until = NULL WHERE id IN (
       SELECT id FROM messages
       WHERE id = ANY ($1::uuid[]) AND status = 'pending' AND lease_until < now() AND now() < $2::timestamptz
       FOR UPDATE SKIP LOCKED
     )
     RETURNING id, write_started_at
   )
   INSERT INTO message_tasks (message_id, write_started_at, next_at, fence, attempts)
   SELECT id, write_started_at, now(), 1, 1 FROM message
   ON CONFLICT DO NOTHING`,
);

const BOUND = statement('sends-bound', `SELECT through FROM rollups WHERE name = 'sends'`);

/** No message from before the bound has a lease, nor will any: the next search begins there. */
const MOVE_BOUND = statement(
  '',
  `UPDATE rollups SET through = greatest(through, least(
     ${WATERMARK}, (SELECT min(created_at) FROM messages WHERE ${SINCE} AND lease_until IS NOT NULL)
   )) WHERE name = 'sends'`,
);

type Abandoned = Unconfirmed & { status: 'pending' | 'sent' };

/**
 * Finds messages whose process died: a `pending` one gets a task, the delivery of one that is `sent` is confirmed. An
 * index of leases would cost each send the writing of all indexes (ADR 37), so this reads the newest messages instead.
 */
@Injectable()
export class AbandonedSends {
  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly work: DueWork,
    private readonly confirmer: DeliveryConfirmer,
    jobs: PeriodicJobs,
  ) {
    jobs.every('The search for abandoned sends', INTERVAL_MS, () =>
      this.adoptSince(new Date(this.clock.now() - RECENT_MS)),
    );
    jobs.every('The thorough search for abandoned sends', THOROUGH_INTERVAL_MS, () => this.adoptAll(), 0);
  }

  private async adoptAll(): Promise<boolean> {
    const [bound] = await this.database.query<{ through: Date }>(BOUND, []);
    const isFull = await this.adoptSince(bound!.through);
    await this.database.query(MOVE_BOUND, [bound!.through]);
    return isFull;
  }

  /** @returns whether there may be more */
  private async adoptSince(since: Date): Promise<boolean> {
    if (this.outage.recent) return false;
    const found = await this.database.query<Abandoned>(FIND, [since]);
    const pending = found.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (pending.length > 0) {
      await this.database.query(ADOPT, [pending, claimDeadline(this.clock)]);
      this.work.signal(PENDING_SENDS);
    }
    for (const message of found) if (message.status === 'sent') this.confirmer.confirm(message);
    // Only those with a task are not found again: the others are until their confirmation is written.
    return found.length === BATCH && pending.length > 0;
  }
}
