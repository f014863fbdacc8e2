import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { eventValues } from '../bare/bare-events';
import { finishStatement, MESSAGE_SCHEMA, openConversation, sentEvents } from '../bare/bare-messages';

const ACCEPT = {
  name: 'accept',
  text: `WITH c AS (${openConversation('$2, $3, $4, 1, $5')})
    INSERT INTO message (id, conversation_id, direction, content, status, created_at, lease_until)
    SELECT $1, id, 'outbound', $6, 'pending', $5, now() + interval '15 seconds' FROM c RETURNING conversation_id`,
};

const FINISH = finishStatement();

/** Sends durably, in two statements. The platform is a sandbox, which takes every message at once. */
export class BareSends {
  constructor(private readonly pool: Pool) {}

  async prepare(): Promise<void> {
    await this.pool.query(MESSAGE_SCHEMA);
  }

  async send(platform: string, participant: string, content: string): Promise<{ id: string; sentAt: Date }> {
    const createdAt = new Date();
    const id = newUuid(createdAt.getTime());
    const accepted = await this.pool.query<{ conversation_id: string }>({
      ...ACCEPT,
      values: [id, newUuid(), platform, participant, createdAt, content],
    });
    const sentAt = new Date();
    const message = { id, conversationId: accepted.rows[0]!.conversation_id, platform, participant, content };
    const platformId = `${toPublicId('message', id)}:0`;
    await this.pool.query({
      ...FINISH,
      values: [id, platformId, ...eventValues(sentEvents(message, sentAt), sentAt)],
    });
    return { id, sentAt };
  }
}
