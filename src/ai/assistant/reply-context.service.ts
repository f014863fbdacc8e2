import { Injectable } from '@nestjs/common';
import { And, EntityManager, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import type { Environment, Platform } from '#contracts';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';
import { MessageTaskEntity } from '../../messages/entities/message-task.entity';
import { MessageEntity } from '../../messages/entities/message.entity';
import type { AiMessage } from '../provider/ai-provider.port';
import type { ReplyTask } from './reply-tasks.service';

const NEWEST_FIRST = { createdAt: 'DESC', id: 'DESC' } as const;

/** The input for an answer. */
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
  constructor(private readonly manager: EntityManager) {}

  /** An answer on its way must arrive before the next one is made. */
  answerUnderWay(conversationId: string): Promise<boolean> {
    const message = { conversationId, aiModel: Not(IsNull()) };
    return this.manager.existsBy(MessageTaskEntity, { stage: 'send', message });
  }

  /**
   * @param limit the largest number of messages
   * @returns undefined when there is nothing to answer: white space alone needs no answer
   */
  async load(task: ReplyTask, limit: number): Promise<ReplyContext | undefined> {
    const conversation = await this.manager.findOneBy(ConversationEntity, { id: task.conversation_id });
    if (!conversation) return undefined;
    const open = await this.openMessages(task, limit);
    if (!open.some(({ content }) => content.trim() !== '')) return undefined;
    const earlier = await this.earlierMessages(task, conversation.clearedSeq, limit - open.length);
    return {
      environment: task.environment,
      platform: conversation.platform,
      participantId: conversation.participantId,
      address: conversation.address,
      aiPaused: conversation.aiPaused,
      messages: [...open, ...earlier].toReversed().map(({ direction, content }) => ({
        role: direction === 'inbound' ? 'user' : 'assistant',
        content,
      })),
    };
  }

  /**
   * What is to be answered, newest first. Unanswered messages from before the watermark count as well: a cleared
   * context must not leave a person without an answer.
   */
  private openMessages({ conversation_id, answered_seq, requested_seq }: ReplyTask, limit: number) {
    const seq = And(MoreThan(answered_seq), LessThanOrEqual(requested_seq));
    const where = { conversationId: conversation_id, direction: 'inbound' as const, seq };
    return this.manager.find(MessageEntity, { where, order: NEWEST_FIRST, take: limit });
  }

  /**
   * The messages after the watermark before those, newest first. The answer to an earlier message is part of them even
   * where it was stored after messages that arrived while it was being made: in the order of storage the model would be
   * asked everything again that it has just answered.
   */
  private earlierMessages({ conversation_id, answered_seq }: ReplyTask, clearedSeq: number, limit: number) {
    const kept = { conversationId: conversation_id, status: Not('failed' as const) };
    const where = [
      { ...kept, direction: 'outbound' as const, seq: MoreThan(clearedSeq) },
      { ...kept, direction: 'inbound' as const, seq: And(MoreThan(clearedSeq), LessThanOrEqual(answered_seq)) },
    ];
    return this.manager.find(MessageEntity, { where, order: NEWEST_FIRST, take: limit });
  }
}
