import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Environment, MessageStatus, Platform, SendFailure } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
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
  status: MessageStatus;
  deliveredAt: Date | null;
  readAt: Date | null;
  failure: SendFailure | null;
}

/** The rows of receipts. A method with a `client` runs in a transaction that has locked the message's row. */
@Injectable()
export class ReceiptsStore {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly erased: ErasedIds,
  ) {}

  async find(environment: Environment, platform: Platform, platformMessageId: string): Promise<FoundPart | undefined> {
    const [part] = await this.database.query<FoundPart>(FIND_PART, [environment, platform, platformMessageId]);
    return part;
  }

  /** Stores a receipt whose send is not recorded yet. */
  async keep(environment: Environment, platform: Platform, receipt: Receipt, client?: PoolClient): Promise<void> {
    const { platformMessageId, status, at, failure, pricing } = receipt;
    const failureJson = failure ? JSON.stringify(failure) : null;
    const values = [
      environment,
      platform,
      platformMessageId,
      status,
      at,
      failureJson,
      this.clock.date(),
      pricing ? JSON.stringify(pricing) : null,
      this.erased.digestOf(environment, platform, platformMessageId),
    ];
    await this.database.query(KEEP, values, client);
  }

  /** Whether receipts of the message arrived before the record of its send. */
  async hasEarly(messageId: string): Promise<boolean> {
    const rows = await this.database.query(HAS_EARLY, [messageId]);
    return rows.length > 0;
  }

  /** Ids of messages whose send is recorded, and that receipts still wait for. */
  async left(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(LEFT, [limit]);
    return rows.map(({ id }) => id);
  }

  async lock(messageId: string, client: PoolClient): Promise<ReceiptMessageRow | undefined> {
    const [message] = await this.database.query<ReceiptMessageRow>(LOCK, [messageId], client);
    return message;
  }

  /** Runs after the lock, so that it sees the changes that the lock waited for. */
  parts(messageId: string, client: PoolClient): Promise<PartRow[]> {
    return this.database.query<PartRow>(PARTS, [messageId], client);
  }

  takeEarly(messageId: string, client: PoolClient): Promise<PartReceipt[]> {
    return this.database.query<PartReceipt>(TAKE_EARLY, [messageId], client);
  }

  async updatePart(messageId: string, part: PartRow, client: PoolClient): Promise<void> {
    const failure = part.failure ? JSON.stringify(part.failure) : null;
    const { part_index, status, delivered_at, read_at } = part;
    await this.database.query(UPDATE_PART, [messageId, part_index, status, delivered_at, read_at, failure], client);
  }

  async updateMessage(id: string, change: MessageChange, events: DomainEvent[], client: PoolClient): Promise<void> {
    const { status, deliveredAt, readAt, failure } = change;
    const failureJson = failure ? JSON.stringify(failure) : null;
    const values = [id, status, deliveredAt, readAt, failureJson, this.events.rows(events)];
    await this.database.query(UPDATE_MESSAGE, values, client);
  }
}
