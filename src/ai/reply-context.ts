import { Injectable } from '@nestjs/common';
import type { Direction, Environment, Platform } from '#contracts';
import { Database, statement } from '../core/database/database';
import type { AiMessage } from './provider/ai-provider.port';

const CONVERSATION = statement(
  'reply-conversation',
  `SELECT platform, participant_id, address, ai_paused, cleared_seq FROM conversations WHERE id = $1`,
);

/**
 * The newest messages after the watermark. One that came before it but is still unanswered counts as well: whoever
 * clears the context does not mean that the person waits for ever.
 */
const CONTEXT = statement(
  'reply-context',
  `SELECT seq, direction, content FROM messages
   WHERE conversation_id = $1 AND seq > $2 AND status <> 'failed'
   ORDER BY created_at DESC, id DESC LIMIT $3`,
);

/** An answer on its way must arrive before the next one is made. */
const ANSWER_UNDER_WAY = statement(
  'reply-under-way',
  `SELECT 1 FROM messages m JOIN message_tasks t ON t.message_id = m.id
   WHERE m.conversation_id = $1 AND m.ai_model IS NOT NULL AND t.stage = 'send' LIMIT 1`,
);

interface ConversationRow {
  platform: Platform;
  participant_id: string;
  address: string | null;
  ai_paused: boolean;
  cleared_seq: number;
}

interface ContextRow {
  seq: number;
  direction: Direction;
  content: string;
}

/** What an answer is made from. */
export interface ReplyContext {
  environment: Environment;
  platform: Platform;
  participantId: string;
  address: string | null;
  aiPaused: boolean;
  /** Oldest first; the last one is the person's. */
  messages: AiMessage[];
  /** The newest inbound message that the answer covers; 0 when there is none. */
  throughSeq: number;
}

@Injectable()
export class ReplyContexts {
  constructor(private readonly database: Database) {}

  async answerUnderWay(conversationId: string): Promise<boolean> {
    return (await this.database.query(ANSWER_UNDER_WAY, [conversationId])).length > 0;
  }

  /**
   * @param answeredSeq up to where the conversation is answered
   * @param limit how many messages at most
   */
  async load(
    environment: Environment,
    conversationId: string,
    answeredSeq: number,
    limit: number,
  ): Promise<ReplyContext | undefined> {
    const [conversation] = await this.database.query<ConversationRow>(CONVERSATION, [conversationId]);
    if (!conversation) return undefined;
    const after = Math.min(conversation.cleared_seq, answeredSeq);
    const rows = await this.database.query<ContextRow>(CONTEXT, [conversationId, after, limit]);
    // Newest first: what the gateway itself sent after the person's last message is no question.
    const newestInbound = rows.findIndex(({ direction }) => direction === 'inbound');
    const messages = newestInbound === -1 ? [] : rows.slice(newestInbound).toReversed();
    const inbound = rows.filter(({ direction }) => direction === 'inbound');
    return {
      environment,
      platform: conversation.platform,
      participantId: conversation.participant_id,
      address: conversation.address,
      aiPaused: conversation.ai_paused,
      messages: messages.map(({ direction, content }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content,
      })),
      throughSeq: Math.max(0, ...inbound.map(({ seq }) => seq)),
    };
  }
}
