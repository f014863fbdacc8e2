import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the AI costs by conversation. Earlier costs are not in it. */
export class BillConversations1770800030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ai_conversation_usage (
        conversation_id uuid NOT NULL,
        hour            timestamptz(3) NOT NULL,
        environment     environment NOT NULL,
        requests        bigint NOT NULL,
        input_tokens    bigint NOT NULL,
        output_tokens   bigint NOT NULL,
        cost_usd        numeric(18, 8) NOT NULL,
        CONSTRAINT "PK_ai_conversation_usage" PRIMARY KEY (conversation_id, hour)
      );
      CREATE INDEX ai_conversation_usage_period ON ai_conversation_usage (environment, hour);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ai_conversation_usage');
  }
}
