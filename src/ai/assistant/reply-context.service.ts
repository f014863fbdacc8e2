import { Injectable } from '@nestjs/common';
import type { Direction, Environment, Platform } from '#contracts';
import { Database, statement } from '../../core/database/database.service';
import type { AiMessage } from '../provider/ai-provider.port';
import type { ReplyTask } from './reply-tasks.service';

const CONVERSATION = statement(
  'reply-conversation',
  `SELECT platform, participant_id, address, ai_paused, cleared_seq FROM conversations WHERE id = $1`,
);

/**
 * What is to be answered, and before it the newest messages after the watermark. The answer to an earlier message is part
 * of those even where it was stored after messages that arrived while it was being made: in the order of storage the
 * model would be asked everything again that it has just answered. What came before the watermark but is still
 * unanswered counts as well: whoever clears the context does not mean that the person waits for ever.
 */
const CONTEXT = statement(
  'reply-context',
  `WITH open AS (
     SELECT direction, content, created_at, id FROM messages
     WHERE conversation_id = $1 AND direction = 'inbound' AND seq > $3 AND seq <= $4
     ORDER BY created_at DESC, id DESC LIMIT $5
   ),
   earlier AS (
     SELECT direction, content, created_at, id FROM messages
     WHERE conversation_id = $1 AND seq > $2 AND status <> 'failed' AND (direction = 'outbound' OR seq <= $3)
     ORDER BY created_at DESC, id DESC LIMIT $5 - (SELECT count(*) FROM open)
   )
   SELECT is_open, direction, content
   FROM (SELECT true AS is_open, * FROM open UNION ALL SELECT false, * FROM earlier) asked
   ORDER BY is_open, created_at, id`,
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
  is_open: boolean;
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

  /**
   * @param limit how many messages at most
   * @returns undefined when there is nothing to answer: white space is no question
   */
  async load(task: ReplyTask, limit: number): Promise<ReplyContext | undefined> {
    const { environment, conversation_id, answered_seq, requested_seq } = task;
    const [conversation] = await this.database.query<ConversationRow>(CONVERSATION, [conversation_id]);
    if (!conversation) return undefined;
    const { cleared_seq } = conversation;
    const values = [conversation_id, cleared_seq, answered_seq, requested_seq, limit];
    const rows = await this.database.query<ContextRow>(CONTEXT, values);
    if (!rows.some(({ is_open, content }) => is_open && content.trim() !== '')) return undefined;
    return {
      environment,
      platform: conversation.platform,
      participantId: conversation.participant_id,
      address: conversation.address,
      aiPaused: conversation.ai_paused,
      messages: rows.map(({ direction, content }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content,
      })),
    };
  }
}
