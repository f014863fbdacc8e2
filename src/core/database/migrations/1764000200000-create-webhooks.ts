import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks, what is due to them, and what was tried. Dispatches and deliveries have no foreign keys: a check per row
 * would lock the webhook's row for each of thousands a second, and deleting a webhook would take as long as its history
 * is. Rows whose webhook is gone are never claimed or shown, and leave with the retention.
 */
export class CreateWebhooks1764000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id                    uuid PRIMARY KEY,
        environment           environment NOT NULL,
        url                   text NOT NULL,
        events                text[] NOT NULL,
        status                text NOT NULL DEFAULT 'active',
        secret                bytea NOT NULL,
        previous_secret       bytea,
        previous_secret_until timestamptz(3),
        created_at            timestamptz(3) NOT NULL,
        updated_at            timestamptz(3) NOT NULL
      );
      CREATE INDEX webhooks_list ON webhooks (environment, created_at, id);

      -- One row per event and subscribed webhook. next_at is null when nothing is due.
      CREATE TABLE webhook_dispatches (
        event_id     uuid NOT NULL,
        webhook_id   uuid NOT NULL,
        state        text NOT NULL DEFAULT 'pending',
        attempts     integer NOT NULL DEFAULT 0,
        retries      integer NOT NULL DEFAULT 0,
        created_at   timestamptz(3) NOT NULL,
        delivered_at timestamptz(3),
        next_at      timestamptz(3),
        lease_until  timestamptz(3),
        fence        integer NOT NULL DEFAULT 0,
        PRIMARY KEY (event_id, webhook_id)
      ) WITH (fillfactor = 80);
      CREATE INDEX webhook_dispatches_due ON webhook_dispatches (webhook_id, next_at) WHERE next_at IS NOT NULL;

      -- Attempts, append-only.
      CREATE TABLE webhook_deliveries (
        id               uuid PRIMARY KEY,
        webhook_id       uuid NOT NULL,
        event_id         uuid NOT NULL,
        event_type       text NOT NULL,
        attempt          integer NOT NULL,
        status           text NOT NULL,
        response_code    integer,
        response_time_ms integer NOT NULL,
        response_body    text,
        error            text,
        next_retry_at    timestamptz(3),
        created_at       timestamptz(3) NOT NULL
      );
      CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at, id);

      -- E-mail to the owner. What could not be sent stays.
      CREATE TABLE mail_outbox (
        id          uuid PRIMARY KEY,
        environment environment NOT NULL,
        subject     text NOT NULL,
        text        text NOT NULL,
        created_at  timestamptz(3) NOT NULL,
        sent_at     timestamptz(3),
        error       text,
        next_at     timestamptz(3),
        lease_until timestamptz(3),
        fence       integer NOT NULL DEFAULT 0,
        attempts    integer NOT NULL DEFAULT 0
      );
      CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE next_at IS NOT NULL;

      -- The overall health word last told of, and the instance that watches it.
      CREATE TABLE health_states (
        environment environment PRIMARY KEY,
        status      text,
        holder      uuid,
        lease_until timestamptz(3)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE health_states, mail_outbox, webhook_deliveries, webhook_dispatches, webhooks');
  }
}
