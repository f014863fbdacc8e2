import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Handovers that have ended. */
export class KeepHandovers1770800020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE past_handovers (
        request_id      uuid NOT NULL,
        conversation_id uuid NOT NULL,
        reason          text,
        summary         text,
        note            text,
        assignee        text,
        requested_at    timestamptz(3),
        taken_at        timestamptz(3),
        resumed_at      timestamptz(3) NOT NULL,
        ended_by        text NOT NULL,
        CONSTRAINT "PK_past_handovers" PRIMARY KEY (request_id),
        CONSTRAINT past_handovers_conversation FOREIGN KEY (conversation_id) REFERENCES conversations (id) ON DELETE CASCADE
      );
      CREATE INDEX past_handovers_list ON past_handovers (conversation_id, resumed_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE past_handovers');
  }
}
