import type { Pool } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { ACCEPT, FINISH } from '../../../src/messages/outbound/outbound-store.service';
import { type BareEvents, eventRow } from '../bare-events';

const FIND = {
  name: 'find',
  text: `SELECT id FROM conversations WHERE environment = 'test' AND platform = $1 AND participant_id = $2`,
};
const OPTIONS = JSON.stringify({ parse_mode: 'plain', disable_notification: false, link_preview: true });
const CONFIRM_AFTER_MS = 200;

/** The gateway's own statements, so that both write the same rows and neither can fall behind the other. */
export class BareSends {
  private readonly conversations = new Map<string, Promise<string>>();

  constructor(
    private readonly pool: Pool,
    private readonly events: BareEvents,
  ) {}

  async send(
    keyId: string,
    platform: string,
    recipient: string,
    content: string,
  ): Promise<{ id: string; sentAt: Date }> {
    const conversationId = await this.conversationWith(platform, recipient);
    const createdAt = new Date();
    const id = newUuid(createdAt.getTime());
    const values = [id, conversationId, 'test', platform, recipient, createdAt, content, OPTIONS, keyId];
    const name = await this.accept([...values, null, null, null, null, null]);
    const sentAt = await this.finish(id, conversationId, platform, recipient, content, name);
    return { id, sentAt };
  }

  /** @returns the recipient's name */
  private async accept(values: unknown[]): Promise<string | null> {
    try {
      const { rows } = await this.pool.query<{ participant_name: string | null }>({ ...ACCEPT, values });
      if (!rows[0]) throw new Error('the conversation exists under another id');
      return rows[0].participant_name;
    } catch (error) {
      // Two first messages met while opening the conversation: it is there now.
      if ((error as { code?: string }).code === '23505') return this.accept(values);
      throw error;
    }
  }

  private async finish(
    id: string,
    conversationId: string,
    platform: string,
    recipient: string,
    content: string,
    name: string | null,
  ): Promise<Date> {
    const sentAt = new Date();
    const messageId = toPublicId('message', id);
    const parts = JSON.stringify([{ index: 0, status: 'sent', id: `${messageId}:0` }]);
    const event = eventRow('message.sent', sentAt, {
      message_id: messageId,
      conversation_id: toPublicId('conversation', conversationId),
      platform,
      environment: 'test',
      recipient: { id: recipient, name },
      content,
      ai_model: null,
      tokens: null,
      latency_ms: 0,
    });
    const values = [id, 1, 'test', platform, sentAt, parts, 'sent', sentAt, null, null, null, 0, CONFIRM_AFTER_MS];
    await this.pool.query({ ...FINISH, values: [...values, JSON.stringify([event])] });
    this.events.publish([event.id]);
    return sentAt;
  }

  /** Looked up once, so that two first messages mean the same conversation. */
  private conversationWith(platform: string, recipient: string): Promise<string> {
    const name = `${platform} ${recipient}`;
    const conversation = this.conversations.get(name) ?? this.find(platform, recipient);
    this.conversations.set(name, conversation);
    return conversation;
  }

  private async find(platform: string, recipient: string): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>({ ...FIND, values: [platform, recipient] });
    return rows[0]?.id ?? newUuid();
  }
}
