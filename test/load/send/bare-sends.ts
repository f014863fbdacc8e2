import type { Pool } from 'pg';
import { newUuid } from '#contracts';
import { eventValues } from '../bare/bare-events';
import { finishStatement, MESSAGE_SCHEMA, openConversation, sentEvents } from '../bare/bare-messages';

/** Adds a table of Idempotency-Keys, kept for a day, with the message of the first request. */
const SCHEMA = `${MESSAGE_SCHEMA};
  ALTER TABLE message ADD write_started_at timestamptz;
  CREATE TABLE claim (
    key_id uuid, key text, fingerprint bytea NOT NULL, message_id uuid NOT NULL, created_at timestamptz NOT NULL, PRIMARY KEY (key_id, key)
  );
  CREATE INDEX claim_time ON claim (created_at)`;

const STORE = `m AS (
      INSERT INTO message (id, conversation_id, direction, content, status, created_at, lease_until, write_started_at)
      SELECT $1, id, 'outbound', $6, 'pending', $5, now() + interval '15 seconds', now() FROM c
    )
    SELECT id FROM c`;
const CONVERSATION = '$2::uuid, $3, $4, 1, $5::timestamptz';

const ACCEPT = { name: 'accept', text: `WITH c AS (${openConversation(CONVERSATION)}), ${STORE}` };

/** Stores nothing if another request has claimed the key. */
const ACCEPT_CLAIMING = {
  name: 'accept-claiming',
  text: `WITH k AS (
      INSERT INTO claim VALUES ($7, $8, $9, $1, $5) ON CONFLICT (key_id, key) DO UPDATE SET
        fingerprint = excluded.fingerprint, message_id = excluded.message_id, created_at = excluded.created_at
      WHERE claim.created_at < excluded.created_at - interval '1 day'
      RETURNING 1
    ),
    c AS (${openConversation(CONVERSATION, 'FROM k')}), ${STORE}`,
};

const EARLIER = {
  name: 'earlier',
  text: `SELECT m.id, m.sent_at FROM claim k JOIN message m ON m.id = k.message_id
    WHERE k.key_id = $1 AND k.key = $2 AND k.fingerprint = $3 AND m.sent_at IS NOT NULL`,
};

const FINISH = finishStatement();

interface Sent {
  id: string;
  sentAt: Date;
}

/** An API key's Idempotency-Key, with the digest of the request. */
export interface BareClaim {
  keyId: string;
  key: string;
  fingerprint: Buffer;
}

/** Sends durably, in two statements: first the message with the claim of its key and the start of the write, then the outcome. */
export class BareSends {
  constructor(
    private readonly pool: Pool,
    /** Sends to the platform. Resolves with the platform's message id. */
    private readonly write: (participant: string, content: string) => Promise<string>,
  ) {}

  async prepare(): Promise<void> {
    await this.pool.query(SCHEMA);
  }

  /** @returns undefined if another request has the key, and differs or has no answer yet */
  async send(platform: string, participant: string, content: string, claim?: BareClaim): Promise<Sent | undefined> {
    const createdAt = new Date();
    const id = newUuid(createdAt.getTime());
    const values = [id, newUuid(), platform, participant, createdAt, content];
    const claimed = claim && [claim.keyId, claim.key, claim.fingerprint];
    const accepted = await this.pool.query<{ id: string }>(
      claimed ? { ...ACCEPT_CLAIMING, values: [...values, ...claimed] } : { ...ACCEPT, values },
    );
    if (accepted.rows.length === 0) return this.earlier(claimed!);
    const platformId = await this.write(participant, content);
    const sentAt = new Date();
    const message = { id, conversationId: accepted.rows[0]!.id, platform, participant, content };
    await this.pool.query({
      ...FINISH,
      values: [id, platformId, ...eventValues(sentEvents(message, sentAt), sentAt)],
    });
    return { id, sentAt };
  }

  private async earlier(claimed: unknown[]): Promise<Sent | undefined> {
    const { rows } = await this.pool.query<{ id: string; sent_at: Date }>({ ...EARLIER, values: claimed });
    return rows[0] && { id: rows[0].id, sentAt: rows[0].sent_at };
  }
}
