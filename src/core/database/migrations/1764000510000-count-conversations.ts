import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts the conversations that were there before the triggers of the migration before, in a transaction of its own:
 * writers go on meanwhile. One statement, and so one snapshot: what it sees in conversation_count_changes is what the
 * triggers have noted of the very conversations that it counts.
 */
export class CountConversations1764000510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO conversation_counts (environment, hour, platform, status, count)
      SELECT environment, hour, platform, status, sum(count) FROM (
        SELECT environment, date_trunc('hour', created_at, 'UTC') AS hour, platform, status, count(*) AS count
        FROM conversations GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT environment, hour, platform, status, -change FROM conversation_count_changes
      ) counted
      GROUP BY 1, 2, 3, 4;
      INSERT INTO conversation_counts (environment, hour, platform, status, count)
      SELECT environment, '-infinity', platform, status, sum(count) FROM conversation_counts GROUP BY 1, 3, 4;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM conversation_counts');
  }
}
