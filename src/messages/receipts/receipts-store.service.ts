import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { Environment, MessageStatus, PartStatus, Platform, SendFailure } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import type { Receipt } from '../../integrations/inbound/inbound-handler.port';

const FIND = statement(
  'receipt-find',
  `SELECT message_id, part_index, status FROM message_parts
   WHERE environment = $1::environment AND platform = $2::text AND platform_message_id = $3::text
     AND status <> 'received'
   ORDER BY recorded_at DESC LIMIT 1`,
);

const LOCK = statement(
  'receipt-lock',
  `SELECT m.id, m.environment, m.platform, m.conversation_id, m.status, m.sent_at, m.delivered_at, m.read_at, m.traceparent,
     c.participant_id, c.participant_name
   FROM messages m JOIN conversations c ON c.id = m.conversation_id
   WHERE m.id = $1::uuid FOR UPDATE OF m`,
);

const PARTS = statement(
  'receipt-parts',
  `SELECT part_index, status, delivered_at, read_at, failure FROM message_parts
   WHERE message_id = $1::uuid ORDER BY part_index`,
);

const UPDATE_PART = statement(
  'receipt-update-part',
  `UPDATE message_parts SET status = $3::text, failure = $6::jsonb,
     delivered_at = coalesce(delivered_at, $4::timestamptz), read_at = coalesce(read_at, $5::timestamptz)
   WHERE message_id = $1::uuid AND part_index = $2::integer`,
);

const UPDATE_MESSAGE = statement(
  'receipt-update-message',
  `WITH message AS (
     UPDATE messages SET status = $2::text, delivered_at = $3::timestamptz, read_at = $4::timestamptz,
       confirmation = CASE WHEN $3::timestamptz IS NULL THEN confirmation ELSE 'device' END, failure = $5::jsonb
     WHERE id = $1::uuid
   ),
   ${insertEvents('$6')}
   SELECT 1`,
);

/** Skips rows that another statement is deleting: two statements that lock the same rows in two orders would deadlock. */
const KEEP = statement(
  'receipt-keep',
  `WITH forgotten AS (
     DELETE FROM early_receipts WHERE (environment, platform, platform_message_id, status) IN (
       SELECT environment, platform, platform_message_id, status FROM early_receipts
       WHERE recorded_at < $7::timestamptz - interval '1 hour' AND NOT EXISTS (
         SELECT FROM message_parts p WHERE p.environment = early_receipts.environment
           AND p.platform = early_receipts.platform AND p.platform_message_id = early_receipts.platform_message_id
       )
       LIMIT 100 FOR UPDATE SKIP LOCKED
     )
   )
   INSERT INTO early_receipts (environment, platform, platform_message_id, status, at, failure, recorded_at)
   VALUES ($1::environment, $2::text, $3::text, $4::text, $5::timestamptz, $6::jsonb, $7::timestamptz)
   ON CONFLICT DO NOTHING`,
);

const TAKE_EARLY = statement(
  'receipt-take-early',
  `DELETE FROM early_receipts e USING message_parts p
   WHERE p.message_id = $1::uuid AND e.environment = p.environment AND e.platform = p.platform
     AND e.platform_message_id = p.platform_message_id
   RETURNING p.part_index, e.status, e.at, e.failure`,
);

const HAS_EARLY = statement(
  'receipt-has-early',
  `SELECT FROM message_parts p JOIN early_receipts e ON e.environment = p.environment AND e.platform = p.platform
     AND e.platform_message_id = p.platform_message_id
   WHERE p.message_id = $1::uuid LIMIT 1`,
);

const LEFT = statement(
  'receipt-left',
  `SELECT DISTINCT p.message_id AS id FROM early_receipts e
   JOIN message_parts p ON p.environment = e.environment AND p.platform = e.platform
     AND p.platform_message_id = e.platform_message_id AND p.status <> 'received'
   JOIN messages m ON m.id = p.message_id AND m.status <> 'pending'
   LIMIT $1`,
);

export interface FoundPart {
  message_id: string;
  part_index: number;
  status: PartStatus;
}

export interface ReceiptMessageRow {
  id: string;
  environment: Environment;
  platform: Platform;
  conversation_id: string;
  status: MessageStatus;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  traceparent: string | null;
  participant_id: string;
  participant_name: string | null;
}

export interface PartRow {
  part_index: number;
  status: PartStatus;
  delivered_at: Date | null;
  read_at: Date | null;
  failure: SendFailure | null;
}

export interface PartReceipt {
  part_index: number;
  status: Receipt['status'];
  at: Date;
  failure: SendFailure | null;
}

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
  ) {}

  async find(environment: Environment, platform: Platform, platformMessageId: string): Promise<FoundPart | undefined> {
    const [part] = await this.database.query<FoundPart>(FIND, [environment, platform, platformMessageId]);
    return part;
  }

  /** Stores a receipt whose send is not recorded yet. */
  async keep(environment: Environment, platform: Platform, receipt: Receipt, client?: PoolClient): Promise<void> {
    const { platformMessageId, status, at, failure } = receipt;
    const failureJson = failure ? JSON.stringify(failure) : null;
    const values = [environment, platform, platformMessageId, status, at, failureJson, this.clock.date()];
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
