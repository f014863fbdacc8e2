import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withBriefLock } from './brief-lock';

/**
 * Each send has a task from its start, so its insert checks no foreign key: messages are never deleted. The version before has its
 * leases in `messages`: the messages that a dead process left get a task, those of living processes later, by a search. The next
 * version drops `messages.lease_until`, `messages.write_started_at` and `rollups`.
 */
export class LeaseSendsByTask1770720000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withBriefLock(runner, 'ALTER TABLE message_tasks DROP CONSTRAINT IF EXISTS message_tasks_message');
    const rows = (await runner.query(`SELECT through::text FROM rollups WHERE name = 'sends'`)) as {
      through: string;
    }[];
    // The planner must see the bound, to use the index.
    await runner.query(
      `WITH message AS (
         UPDATE messages SET lease_until = NULL WHERE id IN (
           SELECT id FROM messages WHERE environment = ANY ('{live,test}'::environment[]) AND created_at >= $1::timestamptz
             AND status IN ('pending', 'sent') AND lease_until < now()
           FOR UPDATE SKIP LOCKED
         )
         RETURNING id, write_started_at
       )
       INSERT INTO message_tasks (message_id, write_started_at, next_at, fence, attempts)
       SELECT id, write_started_at, now(), 1, 1 FROM message ON CONFLICT DO NOTHING`,
      [rows[0]?.through ?? '-infinity'],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await withBriefLock(
      runner,
      // The version before confirms deliveries of the sandbox by their lease.
      `WITH task AS (
         DELETE FROM message_tasks t USING messages m WHERE m.id = t.message_id AND m.status <> 'pending' RETURNING t.message_id
       )
       UPDATE messages SET lease_until = now() WHERE id IN (SELECT message_id FROM task) AND status = 'sent'`,
      // Its search begins at the bound.
      `UPDATE rollups SET through = least(through, (SELECT min(created_at) FROM messages WHERE lease_until IS NOT NULL))
       WHERE name = 'sends'`,
      `ALTER TABLE message_tasks ADD CONSTRAINT message_tasks_message FOREIGN KEY (message_id) REFERENCES messages (id) ON DELETE CASCADE`,
    );
  }
}
