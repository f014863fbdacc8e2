import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import type { DueRow } from '../../core/work/signals/due-rows';
import { DueWork } from '../../core/work/signals/due-work.service';
import { PENDING_SENDS } from '../outbound/send-recovery.service';
import { CANCEL_SCHEDULED, DUE_SCHEDULED_SENDS, START_SCHEDULED } from './scheduled-sends.rows';

interface ScheduledRow extends DueRow {
  message_id: string;
}

/** Starts the sends whose time has come: each becomes `pending`, with a task for `SendRecovery`. */
@Injectable()
export class ScheduledSends implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly work: DueWork,
  ) {}

  onModuleInit(): void {
    this.work.register<ScheduledRow>({
      name: 'scheduled-sends',
      due: DUE_SCHEDULED_SENDS,
      concurrency: 32,
      keyOf: (row) => row.message_id,
      run: ({ message_id, fence }) => this.start(message_id, fence),
    });
  }

  /** @returns whether the message still waited */
  async cancel(environment: Environment, id: string): Promise<boolean> {
    return (await this.database.query(CANCEL_SCHEDULED, [id, environment])).length > 0;
  }

  private async start(id: string, fence: number): Promise<void> {
    await this.database.query(START_SCHEDULED, [id, fence]);
    this.work.signal(PENDING_SENDS);
  }
}
