import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.service';
import { inBatches } from '../work/batch-runs';
import { ERASED_COLUMNS, ERASE_EVENTS, ERASURE_BATCH } from './event.rows';

/** Removes the events of an erased conversation. The `webhooks` part removes their dispatches before. */
@Injectable()
export class EventErasure {
  readonly erases = ERASED_COLUMNS;

  constructor(private readonly database: Database) {}

  async erase({ id }: { id: string }, signal: AbortSignal): Promise<boolean> {
    await inBatches(ERASURE_BATCH, signal, async () => (await this.database.query(ERASE_EVENTS, [id])).length);
    return true;
  }
}
