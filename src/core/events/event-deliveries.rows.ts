import type { EventType } from '#contracts';
import { statement } from '../database/database.service';

export interface EventDeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: EventType;
  attempt: number;
  status: 'success' | 'failed';
  response_code: number | null;
  response_time_ms: number;
  /** Null for an attempt of an early version whose webhook is deleted. */
  url: string | null;
  error: string | null;
  /** Null once no retry will follow. */
  next_retry_at: Date | null;
  created_at: Date;
}

/** More attempts than the events of one message have, unless a user resends them many times. */
const MOST = 500;

/** The attempts to deliver events, oldest first. A retry is shown while it will follow, as with a webhook's deliveries. */
export const EVENT_DELIVERIES = statement(
  'event-deliveries',
  `SELECT d.id, d.webhook_id, d.event_id, d.event_type, d.attempt, d.status, d.response_code, d.response_time_ms,
     coalesce(d.url, w.url) AS url, d.error, d.created_at,
     CASE WHEN w.status = 'active' AND owed.next_at IS NOT NULL THEN d.next_retry_at END AS next_retry_at
   FROM webhook_deliveries d
   LEFT JOIN webhooks w ON w.id = d.webhook_id
   LEFT JOIN webhook_dispatches owed ON owed.event_id = d.event_id AND owed.webhook_id = d.webhook_id
   WHERE d.event_id = ANY ($1::uuid[])
   ORDER BY d.created_at, d.id LIMIT ${MOST}`,
);
