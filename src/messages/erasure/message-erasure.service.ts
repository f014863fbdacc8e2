import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Platform } from '#contracts';
import { Database } from '../../core/database/database.service';
import type { ErasedConversation, ErasurePart } from '../../core/erasure/erasure.port';
import { Erasures } from '../../core/erasure/erasures.service';
import { ERASURE_BATCH } from '../../core/events/event.rows';
import { inBatches } from '../../core/work/batch-runs';
import { GIVE_BACK } from '../../billing/billing.rows';
import {
  DROP_PARTS,
  DROP_TASKS,
  EMPTY_MESSAGES,
  ERASED_COLUMNS,
  LOCK_MESSAGES,
  LOCK_PARTS,
  NEXT_IDS,
  REPLACE_IDS,
} from './erased-messages.rows';
import { ErasedIds } from './erased-ids.service';

type NamedRow = {
  platform: Platform;
  account: string;
  received_id?: string | null;
  platform_message_id: string | null;
};
/** `unsent`: no process is sending it; its platform has none of its parts, or some of them. */
type LockedRow = NamedRow & { id: string; unsent: boolean };

/** Empties the messages of an erased conversation. Their rows stay, so that totals do not change. */
@Injectable()
export class MessageErasure implements ErasurePart {
  readonly erases = ERASED_COLUMNS;

  constructor(
    private readonly database: Database,
    private readonly ids: ErasedIds,
    erasures: Erasures,
  ) {
    erasures.register(this);
  }

  async erase(conversation: ErasedConversation, signal: AbortSignal): Promise<boolean> {
    let last: { created_at: Date | number; id: string } = { created_at: -Infinity, id: conversation.id };
    await inBatches(ERASURE_BATCH, signal, async () => {
      const values = [conversation.id, last.created_at === -Infinity ? '-infinity' : last.created_at, last.id];
      const rows = await this.database.query<{ id: string; created_at: Date }>(NEXT_IDS, values);
      const messages = rows.map(({ id }) => id);
      if (messages.length > 0)
        await this.database.transaction((client) => this.eraseBatch(conversation, messages, client));
      last = rows.at(-1) ?? last;
      return rows.length;
    });
    return true;
  }

  private async eraseBatch(
    { environment }: ErasedConversation,
    messages: readonly string[],
    client: PoolClient,
  ): Promise<void> {
    const written = await this.database.query<{ id: string }>(DROP_TASKS, [messages], client);
    const locked = await this.database.query<LockedRow>(LOCK_MESSAGES, [messages], client);
    const named: NamedRow[] = [...locked, ...(await this.database.query<NamedRow>(LOCK_PARTS, [messages], client))];
    // A message that a process may be writing is perhaps billed, and keeps its reservation.
    const unsent = locked.filter((message) => message.unsent && !written.some(({ id }) => id === message.id));
    if (unsent.length > 0) await this.database.query(GIVE_BACK, [unsent.map(({ id }) => id)], client);
    await this.database.query(DROP_PARTS, [messages], client);
    const ids = named.flatMap(({ platform, account, received_id, platform_message_id }) =>
      [received_id, platform_message_id].flatMap((id) => (id ? [{ platform, account, id }] : [])),
    );
    const digests = ids.map(({ platform, account, id }) => this.ids.digestOf({ environment, platform, account }, id));
    const replaced = [
      environment,
      ids.map(({ platform }) => platform),
      ids.map(({ id }) => id),
      digests,
      ids.map(({ account }) => account),
    ];
    if (ids.length > 0) await this.database.query(REPLACE_IDS, replaced, client);
    await this.database.query(EMPTY_MESSAGES, [messages], client);
  }
}
