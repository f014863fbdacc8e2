import { Injectable } from '@nestjs/common';
import type { Direction, Environment, Platform } from '#contracts';
import { Database, statement } from '../core/database/database';
import type { AiMessage } from './provider/ai-provider.port';
import type { ReplyTask } from './reply-tasks';

const CONVERSATION = statement(
  'reply-conversation',
  `SELECT platform, participant_id, address, ai_paused, cleared_seq FROM conversations WHERE id = $1`,
);

/**
 * The newest messages after the watermark, up to the one that is to be answered. One that came before the watermark but
 * is still unanswered counts as well: whoever clears the context does not mean that the person waits for ever.
 */
const CONTEXT = statement(
  'reply-context',
  `SELECT direction, content FROM messages
   WHERE conversation_id = $1 AND seq > $2 AND seq <= $3 AND status <> 'failed'
   ORDER BY created_at DESC, id DESC LIMIT $4`,
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
}

@Injectable()
export class ReplyContexts {
  constructor(private readonly database: Database) {}

  async answerUnderWay(conversationId: string): Promise<boolean> {
    return (await this.database.query(ANSWER_UNDER_WAY, [conversationId])).length > 0;
  }

  /** @param limit how many messages at most */
  async load(task: ReplyTask, limit: number): Promise<ReplyContext | undefined> {
    const { environment, conversation_id, answered_seq, requested_seq } = task;
    const [conversation] = await this.database.query<ConversationRow>(CONVERSATION, [conversation_id]);
    if (!conversation) return undefined;
    const after = Math.min(conversation.cleared_seq, answered_seq);
    const rows = await this.database.query<ContextRow>(CONTEXT, [conversation_id, after, requested_seq, limit]);
    return {
      environment,
      platform: conversation.platform,
      participantId: conversation.participant_id,
      address: conversation.address,
      aiPaused: conversation.ai_paused,
      messages: rows.toReversed().map(({ direction, content }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content,
      })),
    };
  }
}
