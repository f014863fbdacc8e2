import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { AccountKey, MessageStatus, SendFailure } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { eventRows } from '../../core/events/event.rows';
import type { Receipt } from '../../integrations/inbound/inbound-handler.port';
import { ErasedIds } from '../erasure/erased-ids.service';
import {
  FIND_PART,
  HAS_EARLY,
  KEEP,
  LEFT,
  LOCK,
  PARTS,
  TAKE_EARLY,
  UPDATE_MESSAGE,
  UPDATE_PART,
  type FoundPart,
  type PartReceipt,
  type PartRow,
  type ReceiptMessageRow,
} from './receipts.rows';

export interface MessageChange {
  id: string;
  status: MessageStatus;
  deliveredAt: Date | null;
  readAt: Date | null;
  failure: SendFailure | null;
  events: DomainEvent[];
}

/** A receipt, and where it came from. */
export interface Arrival extends AccountKey {
  receipt: Receipt;
}

/**
 * The rows of receipts. A method for several rows runs the statement of one row for each, in the given order: its plan does not
 * depend on their number.
 */
@Injectable()
export class ReceiptsStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly erased: ErasedIds,
  ) {}

  /** @returns the part of each receipt; undefined: the send is not recorded yet, or not ours */
  async find(arrivals: readonly Arrival[]): Promise<(FoundPart | undefined)[]> {
    const sets = arrivals.map(({ environment, platform, account, receipt }) => [
      environment,
      platform,
      receipt.platformMessageId,
      account,
    ]);
    const found = await this.database.together<FoundPart>(FIND_PART, sets);
    return found.map(([part]) => part);
  }

  /**
   * Stores receipts whose send is not recorded yet. Two instances may get the same ones, so both lock them in the same
   * order.
   */
  async keep(arrivals: readonly Arrival[], client?: PoolClient): Promise<void> {
    const now = this.clock.date();
    const sets = arrivals.toSorted(inOrderOfKeys).map(({ environment, platform, account, receipt }) => {
      const { platformMessageId, status, at, failure, pricing } = receipt;
      return [
        environment,
        platform,
        platformMessageId,
        status,
        at,
        failure ? JSON.stringify(failure) : null,
        now,
        pricing ? JSON.stringify(pricing) : null,
        this.erased.digestOf({ environment, platform, account }, platformMessageId),
        account,
      ];
    });
    await this.database.together(KEEP, sets, client);
  }

  /** Whether receipts of the message arrived before the record of its send. */
  async hasEarly(messageId: string): Promise<boolean> {
    const rows = await this.database.query(HAS_EARLY, [messageId]);
    return rows.length > 0;
  }

  /** Ids of messages whose send is recorded, but whose early receipts are not applied yet. */
  async left(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(LEFT, [limit]);
    return rows.map(({ id }) => id);
  }

  async lock(messageIds: readonly string[], client: PoolClient): Promise<ReceiptMessageRow[]> {
    return (await this.database.together<ReceiptMessageRow>(LOCK, idSets(messageIds), client)).flat();
  }

  /** Runs after the lock, so that it sees the changes that the lock waited for. */
  async parts(messageIds: readonly string[], client: PoolClient): Promise<PartRow[]> {
    return (await this.database.together<PartRow>(PARTS, idSets(messageIds), client)).flat();
  }

  async takeEarly(messageIds: readonly string[], client: PoolClient): Promise<PartReceipt[]> {
    return (await this.database.together<PartReceipt>(TAKE_EARLY, idSets(messageIds), client)).flat();
  }

  async updateParts(parts: readonly PartRow[], client: PoolClient): Promise<void> {
    const values = parts.map(({ message_id, part_index, status, delivered_at, read_at, failure }) => [
      message_id,
      part_index,
      status,
      delivered_at,
      read_at,
      failure ? JSON.stringify(failure) : null,
    ]);
    await this.database.together(UPDATE_PART, values, client);
  }

  async updateMessages(changes: readonly MessageChange[], client: PoolClient): Promise<void> {
    const values = changes.map(({ id, status, deliveredAt, readAt, failure, events }) => [
      id,
      status,
      deliveredAt,
      readAt,
      failure ? JSON.stringify(failure) : null,
      eventRows(events),
    ]);
    await this.database.together(UPDATE_MESSAGE, values, client);
  }
}

function idSets(ids: readonly string[]): string[][] {
  return ids.map((id) => [id]);
}

function inOrderOfKeys({ receipt: one }: Arrival, { receipt: other }: Arrival): number {
  const [first, second] = [one, other].map(({ platformMessageId, status }) => `${platformMessageId} ${status}`);
  return first! < second! ? -1 : 1;
}
