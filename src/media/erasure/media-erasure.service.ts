import { Injectable } from '@nestjs/common';
import { Database } from '../../core/database/database.service';
import { inBatches } from '../../core/work/batch-runs';
import type { ErasedConversation, ErasurePart } from '../../core/erasure/erasure.port';
import { Erasures } from '../../core/erasure/erasures.service';
import { MediaStore } from '../storage/media-store.service';
import {
  BATCH,
  DROP_ATTACHMENTS,
  EMPTIED_ATTACHMENTS,
  EMPTY_ATTACHMENTS,
  ERASED_COLUMNS,
  FORGET_PERSON,
  HAS_ATTACHMENTS,
  RELEASE_UNLINKED,
  UNLINK_SHARED,
} from './erased-attachments.rows';

/** Removes the files of an erased conversation. An attachment stays until its bytes are gone, because its row is how they are found. */
@Injectable()
export class MediaErasure implements ErasurePart {
  readonly erases = ERASED_COLUMNS;

  constructor(
    private readonly database: Database,
    private readonly store: MediaStore,
    erasures: Erasures,
  ) {
    erasures.register(this);
  }

  async erase({ id, environment }: ErasedConversation, signal: AbortSignal): Promise<boolean> {
    const unlinked = await this.database.query<{ id: string }>(UNLINK_SHARED, [id]);
    const shared = unlinked.map((row) => row.id);
    if (shared.length > 0) {
      await this.database.query(FORGET_PERSON, [shared]);
      await this.database.query(RELEASE_UNLINKED, [shared]);
    }
    await this.database.query(EMPTY_ATTACHMENTS, [id]);
    await inBatches(BATCH, signal, async () => {
      const rows = await this.database.query<{ id: string; sha256: string | null }>(EMPTIED_ATTACHMENTS, [id]);
      const digests = rows.flatMap(({ sha256 }) => (sha256 === null ? [] : [sha256]));
      const left = new Set(digests.length > 0 ? await this.store.remove(environment, digests) : []);
      const removed = rows.filter(({ sha256 }) => sha256 === null || !left.has(sha256)).map((row) => row.id);
      if (removed.length > 0) {
        await this.database.query(FORGET_PERSON, [removed]);
        await this.database.query(DROP_ATTACHMENTS, [removed]);
      }
      return removed.length;
    });
    return (await this.database.query(HAS_ATTACHMENTS, [id])).length === 0;
  }
}
