import { Client } from 'pg';
import { END_REPLY_LEASES } from './ai/assistant/reply-task.rows';
import { SPEND_RESERVATIONS } from './ai/usage/spending.rows';
import { END_HANDOVER_LEASES } from './conversations/handover/handover.rows';
import { DIRECT_CONNECTION } from './core/database/connections/direct-connection';
import { END_ERASURE_LEASES } from './core/erasure/erasure.rows';
import { END_REQUEST_LEASES } from './core/idempotency/idempotency.rows';
import { END_PLATFORM_LEASES } from './integrations/connection/integration.rows';
import { END_DOWNLOAD_LEASES } from './media/message-attachments.rows';
import { END_ALBUM_LEASES } from './messages/receive/albums.rows';
import { END_MESSAGE_LEASES, END_SEND_LEASES } from './messages/send/outbound.rows';
import { END_SCHEDULED_LEASES } from './messages/send/scheduled-sends.rows';
import { END_HEALTH_LEASES } from './status/health-state.rows';
import { END_DISPATCH_LEASES } from './webhooks/dispatch/dispatch.rows';
import { END_MAIL_LEASES } from './webhooks/mail/mail-outbox.rows';

/** One statement for each table that has leases. */
export const END_LEASES = [
  END_PLATFORM_LEASES,
  END_HEALTH_LEASES,
  END_REPLY_LEASES,
  END_HANDOVER_LEASES,
  END_MESSAGE_LEASES,
  END_SEND_LEASES,
  END_SCHEDULED_LEASES,
  END_DOWNLOAD_LEASES,
  END_ALBUM_LEASES,
  END_DISPATCH_LEASES,
  END_MAIL_LEASES,
  END_REQUEST_LEASES,
  END_ERASURE_LEASES,
];

/**
 * Ends all leases in the database, and counts amounts that the AI budgets have reserved as spent. Call it before this
 * process takes its first lease, and only if no other process can hold one: the lock of the data directory protects the
 * embedded database, so its former holders are dead. Without this, this process would wait until their leases run out.
 */
export async function endPredecessorLeases(databaseUrl: string): Promise<void> {
  const client = new Client({ ...DIRECT_CONNECTION, connectionString: databaseUrl });
  client.on('error', () => undefined); // the statement under way fails as well
  try {
    await client.connect();
    await client.query([...END_LEASES, SPEND_RESERVATIONS].join(';'));
  } finally {
    await client.end().catch(() => undefined);
  }
}
