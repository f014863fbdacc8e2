import type { Client } from 'pg';
import { extendCheckpoints, CHECKPOINT_DISTANCE } from '../../../src/messages/list/position-checkpoints.service';
import { partitionsOf } from '../../../src/messages/list/partition';
import { withClient, type Stage } from '../stage';

/** The days that the messages spread over, up to now. */
export const DAYS = 90;
export const CONVERSATIONS = 10_000;
/** So few of the conversations are on Discord: a platform that is nearly silent. */
const SILENT = 5;

/** UUID of the conversation of that number, from 0. */
export function conversationUuid(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** A database with that many messages of test keys, with the gateway's own roll-ups of them. @returns its URL */
export async function filledDatabase(stage: Stage, rows: number): Promise<string> {
  const url = await stage.database(`list_${rows}`);
  await withClient(url, async (client) => {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'`);
    await insertConversations(client);
    await withoutIndexes(client, () => insertMessages(client, rows));
    await client.query(
      `UPDATE conversations c SET message_count = counted.messages
       FROM (SELECT conversation_id, count(*) AS messages FROM messages GROUP BY 1) counted WHERE counted.conversation_id = c.id`,
    );
    // What statistics are made of: else the gateway would begin to roll ten million messages up while it is measured.
    await client.query(
      `INSERT INTO message_counts (environment, hour, platform, direction, count)
       SELECT environment, date_trunc('hour', created_at, 'UTC'), platform, direction, count(*) FROM messages GROUP BY 1, 2, 3, 4`,
    );
    await client.query(
      `INSERT INTO rollups (name, through) SELECT 'messages', max(created_at) + interval '1 millisecond' FROM messages`,
    );
    await rank(client);
    await client.query('VACUUM ANALYZE');
  });
  return url;
}

async function insertConversations(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO conversations (id, environment, platform, participant_id, status, created_at, last_message_at)
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'test',
       CASE WHEN i < $2 THEN 'discord' WHEN i % 3 = 0 THEN 'whatsapp' ELSE 'telegram' END, 'recipient-' || i, 'active',
       now() - interval '${DAYS} days', now()
     FROM generate_series(0, $1::int - 1) i`,
    [CONVERSATIONS, SILENT],
  );
}

/** Evenly over the days, from two minutes ago back; every eleventh in the same millisecond as the one before it. */
async function insertMessages(client: Client, rows: number): Promise<void> {
  await client.query(
    `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
     SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || '8'
         || lpad(to_hex(i), 15, '0'))::uuid, 'test',
       ('00000000-0000-7000-8000-' || lpad(to_hex(c), 12, '0'))::uuid, i,
       CASE WHEN c < ${SILENT} THEN 'discord' WHEN c % 3 = 0 THEN 'whatsapp' ELSE 'telegram' END,
       CASE WHEN i % 2 = 0 THEN 'inbound' ELSE 'outbound' END,
       'Your order ' || i || ' has been shipped. It will arrive on Thursday between 9 and 12.', 'delivered', at
     FROM (
       SELECT i, abs(hashint4(i)::bigint) % ${CONVERSATIONS} AS c, date_trunc('milliseconds', now() - interval '2 minutes'
         - ($1::int - i + (i % 11 = 0)::int) * interval '${DAYS} days' / $1::int) AS at
       FROM generate_series(1, $1::int) i
     ) numbered`,
    [rows],
  );
}

/** An index is made at once faster than row by row. */
async function withoutIndexes(client: Client, work: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'messages' AND indexname <> 'messages_pkey'`,
  );
  const { rows: keys } = await client.query<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid = 'messages'::regclass AND contype = 'f'`,
  );
  for (const { name } of keys) await client.query(`ALTER TABLE messages DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await work();
  for (const { definition } of indexes) await client.query(definition);
  for (const { name, definition } of keys) {
    await client.query(`ALTER TABLE messages ADD CONSTRAINT ${name} ${definition}`);
  }
}

/** The gateway's own ranks, without its pauses. */
async function rank(client: Client): Promise<void> {
  for (const stream of partitionsOf('test')) {
    const statement = extendCheckpoints(stream);
    for (let read = Infinity; read >= CHECKPOINT_DISTANCE;) {
      const { rows } = await client.query<{ read: number }>(statement);
      read = rows[0]!.read;
    }
  }
}
