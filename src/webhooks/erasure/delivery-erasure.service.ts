import { Injectable } from '@nestjs/common';
import { Database } from '../../core/database/database.service';
import type { ErasedConversation, ErasurePart } from '../../core/erasure/erasure.port';
import { Erasures } from '../../core/erasure/erasures.service';
import { ERASURE_BATCH } from '../../core/events/event.rows';
import { inBatches } from '../../core/work/batch-runs';
import { DROP_DISPATCHES, EMPTY_DELIVERIES, ERASED_COLUMNS, NEXT_EVENTS } from './erased-deliveries.rows';

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Removes the dispatches of an erased conversation's events, and the answers of receivers to them. */
@Injectable()
export class DeliveryErasure implements ErasurePart {
  readonly erases = ERASED_COLUMNS;

  constructor(
    private readonly database: Database,
    erasures: Erasures,
  ) {
    erasures.register(this);
  }

  async erase({ id }: ErasedConversation, signal: AbortSignal): Promise<boolean> {
    let last = FIRST_ID;
    await inBatches(ERASURE_BATCH, signal, async () => {
      const rows = await this.database.query<{ id: string }>(NEXT_EVENTS, [id, last]);
      const events = rows.map((row) => row.id);
      if (events.length > 0) {
        await this.database.query(DROP_DISPATCHES, [events]);
        await this.database.query(EMPTY_DELIVERIES, [events]);
      }
      last = events.at(-1) ?? last;
      return rows.length;
    });
    return true;
  }
}
