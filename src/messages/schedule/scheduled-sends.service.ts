import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import type { DueRow } from '../../core/work/due.rows';
import { Work } from '../../core/work/work.service';
import { GIVE_BACK } from '../billing/billing.rows';
import { PENDING_SENDS } from '../outbound/send-recovery.service';
import { CANCEL_SCHEDULED, DUE_SCHEDULED_SENDS, START_SCHEDULED } from './scheduled-sends.rows';

export const SCHEDULED_SENDS = 'scheduled-sends';

interface ScheduledRow extends DueRow {
  message_id: string;
}

/** Starts the sends whose time has come: each becomes `pending`, with a task for `SendRecovery`. */
@Injectable()
export class ScheduledSends implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly work: Work,
  ) {}

  onModuleInit(): void {
    this.work.register<ScheduledRow>({
      name: SCHEDULED_SENDS,
      due: DUE_SCHEDULED_SENDS,
      concurrency: 32,
      run: (row) => this.start(row),
    });
  }

  /** @returns whether the message still waited */
  async cancel(environment: Environment, id: string): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const cancelled = await this.database.query(CANCEL_SCHEDULED, [id, environment], client);
      if (cancelled.length > 0) await this.database.query(GIVE_BACK, [[id]], client);
      return cancelled.length > 0;
    });
  }

  private async start({ message_id, environment, fence }: ScheduledRow): Promise<void> {
    await this.database.query(START_SCHEDULED, [message_id, fence]);
    this.work.wake(PENDING_SENDS, environment, message_id);
  }
}
