import type { Client } from 'pg';
import { extendCheckpoints, CHECKPOINT_DISTANCE } from '../../../src/messages/counts/position-checkpoints.rows';
import { partitionsOf } from '../../../src/messages/counts/partition.rows';
import { withClient, type Stage } from '../stage';
import { CONVERSATION_ROWS, DAYS, MESSAGE_ROWS } from './list-rows';

/** Age of the last message: newer messages are not in a checkpoint yet. */
const LAST_MESSAGE_MS = 120_000;

export const lastMoment = (): Date => new Date(Date.now() - LAST_MESSAGE_MS);

/**
 * Creates a database with messages of the test environment and the gateway's checkpoints. @returns its URL
 * @param until time of the last message
 */
export async function filledDatabase(stage: Stage, rows: number, until = lastMoment()): Promise<string> {
  const url = await stage.database(`list_${rows}`);
  await withClient(url, async (client) => {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'`);
    await client.query(
      `INSERT INTO conversations (id, environment, platform, participant_id, status, created_at, last_message_at)
       SELECT id, 'test', platform, participant, 'active', now() - interval '${DAYS} days', now()
       FROM (${CONVERSATION_ROWS}) generated`,
    );
    await withoutIndexes(client, async () => {
      await client.query(
        `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
         SELECT id, 'test', conversation_id, i, platform, direction, content, 'delivered', created_at
         FROM (${MESSAGE_ROWS}) generated`,
        [rows, until],
      );
    });
    await client.query(
      `UPDATE conversations c SET message_count = counted.messages
       FROM (SELECT conversation_id, count(*) AS messages FROM messages GROUP BY 1) counted WHERE counted.conversation_id = c.id`,
    );
    await rank(client);
    await client.query('VACUUM ANALYZE');
  });
  return url;
}

/** Runs `work` without indexes and foreign keys, because building an index at the end is faster. */
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

/** Writes the gateway's position checkpoints without its pauses. */
async function rank(client: Client): Promise<void> {
  for (const stream of partitionsOf('test')) {
    const statement = extendCheckpoints(stream);
    for (let read = Infinity; read >= CHECKPOINT_DISTANCE;) {
      const { rows } = await client.query<{ read: number }>(statement);
      read = rows[0]!.read;
    }
  }
}
