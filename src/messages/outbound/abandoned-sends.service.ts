import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { Outage } from '../../core/database/outage.service';
import { claimDeadline } from '../../core/work/claim-deadline';
import { Work } from '../../core/work/work.service';
import { Timers } from '../../core/work/timers/timers.service';
import { toAttachments, type AttachmentsColumn } from '../../media/message-attachments.rows';
import { DeliveryConfirmer, type Unconfirmed } from '../receipts/delivery-confirmer.service';
import { ADOPT, BATCH, BOUND, FIND_ABANDONED, MOVE_BOUND } from './abandoned-sends.rows';
import { SEND_LEASE_SECONDS } from './outbound.rows';
import { PENDING_SENDS } from './send-recovery.service';

/** How often recent messages are searched. */
const INTERVAL_MS = 5_000;
/** Most leases expire before this age, so a search of the messages up to it finds what a crash left. */
const RECENT_MS = (SEND_LEASE_SECONDS + 10) * 1_000;
/** How often all messages that may still have a lease are searched. */
const THOROUGH_INTERVAL_MS = 30_000;

type Abandoned = Omit<Unconfirmed, 'attachments'> & { attachments: AttachmentsColumn } & { status: 'pending' | 'sent' };

/**
 * Finds messages whose process died: a `pending` message gets a task, and a `sent` one a confirmed delivery. With an index of
 * leases each send would write all indexes of the table (ADR 37), so this reads the newest messages instead.
 */
@Injectable()
export class AbandonedSends {
  constructor(
    private readonly database: Database,
    private readonly outage: Outage,
    private readonly clock: Clock,
    private readonly work: Work,
    private readonly confirmer: DeliveryConfirmer,
    timers: Timers,
  ) {
    timers.every('The search for abandoned sends', INTERVAL_MS, () =>
      this.adoptSince(new Date(this.clock.now() - RECENT_MS)),
    );
    timers.every('The thorough search for abandoned sends', THOROUGH_INTERVAL_MS, () => this.adoptAll(), {
      scope: 'process',
      firstMs: 0,
    });
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
    const found = await this.database.query<Abandoned>(FIND_ABANDONED, [since]);
    const pending = found.filter(({ status }) => status === 'pending');
    if (pending.length > 0) {
      await this.database.query(ADOPT, [pending.map(({ id }) => id), claimDeadline(this.clock)]);
      for (const { id, environment } of pending) this.work.wake(PENDING_SENDS, environment, id);
    }
    for (const message of found)
      if (message.status === 'sent')
        this.confirmer.confirm({ ...message, attachments: toAttachments(message.attachments) });
    // Without new tasks, another search would find the same `sent` messages, until their confirmation is written.
    return found.length === BATCH && pending.length > 0;
  }
}
