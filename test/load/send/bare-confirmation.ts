import type { Pool } from 'pg';
import { toPublicId } from '#contracts';
import { CONFIRM, DUE, type DueRow } from '../../../src/messages/receipts/delivery-confirmer.service';
import { type BareEvents, eventRow } from '../bare-events';

const INTERVAL_MS = 100;

/** Confirms due deliveries in batches, with the gateway's statements. */
export function confirmDeliveries(pool: Pool, events: BareEvents): NodeJS.Timeout {
  let running = false;
  const confirm = async () => {
    if (running) return;
    running = true;
    try {
      while ((await confirmBatch(pool, events)) > 0);
    } finally {
      running = false;
    }
  };
  return setInterval(() => void confirm(), INTERVAL_MS);
}

async function confirmBatch(pool: Pool, bus: BareEvents): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<DueRow>({ ...DUE, values: [] });
    const now = new Date();
    const events = rows.map((row) => eventRow('message.delivered', now, eventData(row, now)));
    if (rows.length > 0) {
      await client.query({ ...CONFIRM, values: [rows.map(({ id }) => id), now, JSON.stringify(events)] });
    }
    await client.query('COMMIT');
    bus.publish(events.map(({ id }) => id));
    return rows.length;
  } finally {
    client.release();
  }
}

function eventData(row: DueRow, now: Date) {
  return {
    message_id: toPublicId('message', row.id),
    conversation_id: toPublicId('conversation', row.conversation_id),
    platform: row.platform,
    environment: row.environment,
    recipient: { id: row.participant_id, name: row.participant_name },
    delivered_at: now.toISOString(),
    confirmation: 'platform',
  };
}
