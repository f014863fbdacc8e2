import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Everything the main job needs. The environment stands in front of every index and roll-up: live and test data never
 * meet. Lists read `(…, created_at, id)` indexes backwards; no index carries a counter, so counter updates stay cheap.
 */
export class CreateGroundFloor1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TYPE environment AS ENUM ('live', 'test');

      -- Facts of the deployment as a whole: fingerprints of the secrets its rows were made under.
      CREATE TABLE deployment (
        name  text PRIMARY KEY,
        value text NOT NULL
      );

      CREATE TABLE api_keys (
        id                  uuid PRIMARY KEY,
        environment         environment NOT NULL,
        name                text NOT NULL,
        digest              bytea NOT NULL,
        last_four           text NOT NULL,
        scopes              text[] NOT NULL,
        tier                text NOT NULL DEFAULT 'standard',
        allowed_ips         text[] NOT NULL DEFAULT '{}',
        requests_per_minute integer,
        requests_per_hour   integer,
        created_at          timestamptz(3) NOT NULL,
        expires_at          timestamptz(3),
        last_used_at        timestamptz(3),
        revoked_at          timestamptz(3)
      );
      CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);
      CREATE INDEX api_keys_list ON api_keys (environment, created_at, id);

      CREATE TABLE settings (
        environment environment PRIMARY KEY,
        document    jsonb NOT NULL,
        version     integer NOT NULL DEFAULT 1
      );

      CREATE TABLE conversations (
        id                   uuid PRIMARY KEY,
        environment          environment NOT NULL,
        platform             text NOT NULL,
        participant_id       text NOT NULL,
        participant_name     text,
        participant_username text,
        address              text,
        status               text NOT NULL DEFAULT 'active',
        message_count        integer NOT NULL DEFAULT 0,
        cleared_seq          integer NOT NULL DEFAULT 0,
        ai_paused            boolean NOT NULL DEFAULT false,
        created_at           timestamptz(3) NOT NULL,
        last_message_at      timestamptz(3) NOT NULL
      ) WITH (fillfactor = 80);
      CREATE UNIQUE INDEX conversations_participant ON conversations (environment, platform, participant_id);
      CREATE INDEX conversations_recent ON conversations (environment, last_message_at, id);
      CREATE INDEX conversations_created ON conversations (environment, created_at, id);

      CREATE TABLE messages (
        id               uuid PRIMARY KEY,
        environment      environment NOT NULL,
        conversation_id  uuid NOT NULL CONSTRAINT messages_conversation REFERENCES conversations (id),
        seq              integer NOT NULL,
        platform         text NOT NULL,
        direction        text NOT NULL,
        kind             text NOT NULL DEFAULT 'text',
        content          text NOT NULL,
        status           text NOT NULL,
        sender           jsonb,
        options          jsonb,
        api_key_id       uuid,
        reply_to         uuid,
        created_at       timestamptz(3) NOT NULL,
        sent_at          timestamptz(3),
        delivered_at     timestamptz(3),
        read_at          timestamptz(3),
        confirmation     text,
        failure          jsonb,
        ai_model         text,
        input_tokens     integer,
        output_tokens    integer,
        latency_ms       integer
      ) WITH (fillfactor = 85);
      CREATE INDEX messages_list ON messages (environment, created_at, id);
      CREATE INDEX messages_conversation_list ON messages (conversation_id, created_at, id);
      CREATE INDEX messages_filtered_list ON messages (environment, platform, direction, created_at, id);

      -- What is still to do for an outbound message. Apart from messages, whose updates so touch no index.
      CREATE TABLE message_tasks (
        message_id       uuid PRIMARY KEY CONSTRAINT message_tasks_message REFERENCES messages (id) ON DELETE CASCADE,
        stage            text NOT NULL,
        write_started_at timestamptz(3),
        next_at          timestamptz(3) NOT NULL,
        lease_until      timestamptz(3),
        fence            integer NOT NULL DEFAULT 0,
        attempts         integer NOT NULL DEFAULT 0
      );
      CREATE INDEX message_tasks_due ON message_tasks (next_at);

      -- What the platforms call our messages: duplicates, receipts and replies are recognised here.
      CREATE TABLE message_parts (
        message_id          uuid NOT NULL CONSTRAINT message_parts_message REFERENCES messages (id) ON DELETE CASCADE,
        part_index          integer NOT NULL,
        environment         environment NOT NULL,
        platform            text NOT NULL,
        platform_message_id text,
        status              text NOT NULL,
        recorded_at         timestamptz(3) NOT NULL,
        PRIMARY KEY (message_id, part_index)
      );
      -- Apart, because only what arrives is recognised by its id: nobody promises that a platform numbers what it takes
      -- and what it hands over alike, or that it never gives an id twice.
      CREATE UNIQUE INDEX message_parts_received ON message_parts (environment, platform, platform_message_id)
        WHERE platform_message_id IS NOT NULL AND status = 'received';
      CREATE INDEX message_parts_sent ON message_parts (environment, platform, platform_message_id)
        WHERE platform_message_id IS NOT NULL AND status <> 'received';

      -- Messages per hour up to rollups.through; lists add a count of what came after it.
      CREATE TABLE message_counts (
        environment environment NOT NULL,
        platform    text NOT NULL,
        direction   text NOT NULL,
        hour        timestamptz(3) NOT NULL,
        count       bigint NOT NULL,
        PRIMARY KEY (environment, hour, platform, direction)
      );
      CREATE TABLE rollups (
        name    text PRIMARY KEY,
        through timestamptz(3) NOT NULL
      );

      CREATE TABLE events (
        id          uuid PRIMARY KEY,
        environment environment NOT NULL,
        type        text NOT NULL,
        body        text NOT NULL,
        created_at  timestamptz(3) NOT NULL
      );
      CREATE INDEX events_list ON events (environment, created_at, id);

      -- Events whose in-process handlers have not all finished. Apart from events, which so stays append-only.
      CREATE TABLE event_outbox (
        event_id    uuid PRIMARY KEY CONSTRAINT event_outbox_event REFERENCES events (id) ON DELETE CASCADE,
        lease_until timestamptz(3) NOT NULL
      );
      CREATE INDEX event_outbox_due ON event_outbox (lease_until);

      CREATE TABLE integrations (
        platform          text PRIMARY KEY,
        status            text NOT NULL,
        reason            text,
        error_code        text,
        fatal             boolean NOT NULL DEFAULT false,
        details           jsonb NOT NULL DEFAULT '{}',
        connected_at      timestamptz(3),
        holder            uuid,
        lease_until       timestamptz(3),
        fence             integer NOT NULL DEFAULT 0,
        reconnect_request integer NOT NULL DEFAULT 0
      );

      CREATE TABLE reply_tasks (
        conversation_id uuid PRIMARY KEY CONSTRAINT reply_tasks_conversation REFERENCES conversations (id) ON DELETE CASCADE,
        environment     environment NOT NULL,
        answered_seq    integer NOT NULL DEFAULT 0,
        requested_seq   integer NOT NULL DEFAULT 0,
        next_at         timestamptz(3),
        lease_until     timestamptz(3),
        fence           integer NOT NULL DEFAULT 0,
        attempts        integer NOT NULL DEFAULT 0
      );
      CREATE INDEX reply_tasks_due ON reply_tasks (next_at) WHERE next_at IS NOT NULL;

      CREATE TABLE ai_usage (
        environment        environment NOT NULL,
        hour               timestamptz(3) NOT NULL,
        model              text NOT NULL,
        requests           bigint NOT NULL,
        input_tokens       bigint NOT NULL,
        output_tokens      bigint NOT NULL,
        cache_read_tokens  bigint NOT NULL,
        cache_write_tokens bigint NOT NULL,
        cost_usd           numeric(18, 8) NOT NULL,
        PRIMARY KEY (environment, hour, model)
      );

      CREATE TABLE audit_log (
        id          uuid PRIMARY KEY,
        environment environment,
        api_key_id  uuid,
        masked_key  text,
        method      text NOT NULL,
        path        text NOT NULL,
        route       text,
        client_ip   text NOT NULL,
        status      integer NOT NULL,
        request_id  uuid NOT NULL,
        duration_ms double precision NOT NULL,
        created_at  timestamptz(3) NOT NULL
      );
      CREATE INDEX audit_log_list ON audit_log (environment, created_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE audit_log, ai_usage, reply_tasks, integrations, event_outbox, events, rollups, message_counts,
        message_parts, message_tasks, messages, conversations, settings, api_keys, deployment;
      DROP TYPE environment;
    `);
  }
}
