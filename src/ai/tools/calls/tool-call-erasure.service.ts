import { Injectable } from '@nestjs/common';
import { Database } from '../../../core/database/database.service';
import { Erasures } from '../../../core/erasure/erasures.service';
import { ERASURE_BATCH } from '../../../core/events/event.rows';
import { inBatches } from '../../../core/work/batch-runs';
import { ERASE_CALLS, ERASED_COLUMNS } from './tool-call.rows';

/** Removes the calls of an erased conversation. */
@Injectable()
export class ToolCallErasure {
  constructor(database: Database, erasures: Erasures) {
    erasures.register({
      erases: ERASED_COLUMNS,
      erase: async ({ id }, signal) => {
        await inBatches(ERASURE_BATCH, signal, async () => (await database.query(ERASE_CALLS, [id])).length);
        return true;
      },
    });
  }
}
