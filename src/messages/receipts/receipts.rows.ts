import type { SendFailure } from '#contracts';
import { statement } from '../../core/database/database.service';
import type { StoredRow } from '../../core/database/stored-row';
import { insertEvents } from '../../core/events/event.rows';
import type { Pricing, Receipt } from '../../integrations/inbound/inbound-handler.port';
import { attachmentsOf, type AttachmentsColumn } from '../../media/message-attachments.rows';
import type { MessagePartEntity } from '../entities/message-part.entity';
import type { MessageRow } from '../message.rows';

const LOCKED = [
  'id',
  'environment',
  'platform',
  'account',
  'conversation_id',
  'status',
  'sent_at',
  'delivered_at',
  'read_at',
  'traceparent',
] as const satisfies readonly (keyof MessageRow)[];

/** A locked message, and the participant of its conversation. */
export type ReceiptMessageRow = Pick<MessageRow, (typeof LOCKED)[number]> & {
  participant_id: string;
  participant_name: string | null;
  attachments: AttachmentsColumn;
};

type StoredPart = StoredRow<MessagePartEntity>;
export type FoundPart = Pick<StoredPart, 'message_id' | 'part_index'>;
export type PartRow = Pick<StoredPart, 'message_id' | 'part_index' | 'status' | 'delivered_at' | 'read_at' | 'failure'>;

/** A receipt of a part whose send is recorded. */
export interface PartReceipt extends FoundPart {
  status: Receipt['status'];
  at: Date;
  failure: SendFailure | null;
  pricing: Pricing | null;
}

export const FIND_PART = statement(
  'receipt-find',
  `SELECT message_id, part_index FROM message_parts
   WHERE environment = $1::environment AND platform = $2::text AND account = $4::text AND platform_message_id = $3::text
     AND status <> 'received'
   ORDER BY recorded_at DESC LIMIT 1`,
);

export const LOCK = statement(
  'receipt-lock',
  `SELECT ${LOCKED.map((column) => `m.${column}`).join(', ')},
     c.participant_id, c.participant_name, ${attachmentsOf('m')} AS attachments
   FROM messages m JOIN conversations c ON c.id = m.conversation_id
   WHERE m.id = $1::uuid FOR UPDATE OF m`,
);

/** Returns nothing for an erased message, so that receipts cause no more events. */
export const PARTS = statement(
  'receipt-parts',
  `SELECT message_id, part_index, status, delivered_at, read_at, failure FROM message_parts
   WHERE message_id = $1::uuid AND NOT EXISTS (
     SELECT FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $1 AND c.erased_at IS NOT NULL
   ) ORDER BY part_index`,
);

export const UPDATE_PART = statement(
  'receipt-update-part',
  `UPDATE message_parts SET status = $3::text, failure = $6::jsonb,
     delivered_at = coalesce(delivered_at, $4::timestamptz), read_at = coalesce(read_at, $5::timestamptz)
   WHERE message_id = $1::uuid AND part_index = $2::integer`,
);

export const UPDATE_MESSAGE = statement(
  'receipt-update-message',
  `WITH message AS (
     UPDATE messages SET status = $2::text, delivered_at = $3::timestamptz, read_at = $4::timestamptz,
       confirmation = CASE WHEN $3::timestamptz IS NULL THEN confirmation ELSE 'device' END, failure = $5::jsonb
     WHERE id = $1::uuid
   ),
   ${insertEvents('$6')}
   SELECT 1`,
);

/**
 * A receipt of an erased message is dropped. $9: the digest of its id (`ErasedIds`), $10: account. Receipts that no send claimed within an hour
 * are deleted, except rows that another statement locks: two statements could lock them in two orders and deadlock.
 */
export const KEEP = statement(
  'receipt-keep',
  `WITH forgotten AS (
     DELETE FROM early_receipts WHERE (environment, platform, account, platform_message_id, status) IN (
       SELECT environment, platform, account, platform_message_id, status FROM early_receipts
       WHERE recorded_at < $7::timestamptz - interval '1 hour' AND NOT EXISTS (
         SELECT FROM message_parts p WHERE p.environment = early_receipts.environment
           AND p.platform = early_receipts.platform AND p.account = early_receipts.account
           AND p.platform_message_id = early_receipts.platform_message_id
       )
       LIMIT 100 FOR UPDATE SKIP LOCKED
     )
   )
   INSERT INTO early_receipts (environment, platform, platform_message_id, status, at, failure, recorded_at, pricing, account)
   SELECT $1::environment, $2::text, $3::text, $4::text, $5::timestamptz, $6::jsonb, $7::timestamptz, $8::jsonb, $10::text
   WHERE NOT EXISTS (SELECT FROM erased_message_ids WHERE digest = $9::bytea)
   ON CONFLICT DO NOTHING`,
);

export const TAKE_EARLY = statement(
  'receipt-take-early',
  `DELETE FROM early_receipts e USING message_parts p
   WHERE p.message_id = $1::uuid AND e.environment = p.environment AND e.platform = p.platform
     AND e.account = p.account AND e.platform_message_id = p.platform_message_id
   RETURNING p.message_id, p.part_index, e.status, e.at, e.failure, e.pricing`,
);

export const HAS_EARLY = statement(
  'receipt-has-early',
  `SELECT FROM message_parts p JOIN early_receipts e ON e.environment = p.environment AND e.platform = p.platform
     AND e.account = p.account AND e.platform_message_id = p.platform_message_id
   WHERE p.message_id = $1::uuid LIMIT 1`,
);

export const LEFT = statement(
  'receipt-left',
  `SELECT DISTINCT p.message_id AS id FROM early_receipts e
   JOIN message_parts p ON p.environment = e.environment AND p.platform = e.platform
     AND p.account = e.account AND p.platform_message_id = e.platform_message_id AND p.status <> 'received'
   JOIN messages m ON m.id = p.message_id AND m.status <> 'pending'
   LIMIT $1`,
);

/** $1: messages, $2: time, $3: events, $4: id of the event of each message. A message is confirmed once, with its event. An erased message has no task. */
export const CONFIRM = statement(
  'confirm-deliveries',
  `WITH task AS (DELETE FROM message_tasks WHERE message_id = ANY ($1::uuid[]) RETURNING message_id),
   message AS (
     UPDATE messages SET status = 'delivered', delivered_at = $2, confirmation = 'platform'
     WHERE id IN (SELECT message_id FROM task) AND status = 'sent'
     RETURNING id
   ),
   ${insertEvents(
     '$3',
     `e.id IN (SELECT told.event_id FROM unnest($1::uuid[], $4::uuid[]) AS told (id, event_id) JOIN message USING (id))`,
   )}
   SELECT id FROM event`,
);
