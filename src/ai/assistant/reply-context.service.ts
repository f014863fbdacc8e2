import { Injectable } from '@nestjs/common';
import { And, EntityManager, IsNull, LessThanOrEqual, MoreThan, Not, Raw } from 'typeorm';
import type { Environment, Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';
import { MessageTaskEntity } from '../../messages/entities/message-task.entity';
import { MessageEntity } from '../../messages/entities/message.entity';
import type { AiMessage } from '../provider/ai-provider.port';
import type { ReplyTask } from './reply-tasks.service';

/** No process sends a message for longer without giving it a task: a part takes a minute at most, pauses ten seconds. */
const LONGEST_FIRST_SEND_MS = 900_000;
const NEWEST_FIRST = { createdAt: 'DESC', id: 'DESC' } as const;

/** What the assistant may see. */
const inContext = () => Raw((options) => `coalesce(${options} ->> 'in_context', 'true') = 'true'`);

/** The input for an answer. */
export interface ReplyContext {
  environment: Environment;
  platform: Platform;
  participantId: string;
  address: string | null;
  aiPaused: boolean;
  /** Oldest first; the last one is the person's. */
  messages: AiMessage[];
  /** When the first of the messages came that are to be answered. */
  askedAt: Date;
  /** The W3C trace context of that message. */
  traceparent: string | null;
  /** UUID of the message that the answer names as answered, where the platform shows that. */
  replyTo?: string;
}

@Injectable()
export class ReplyContexts {
  constructor(
    private readonly manager: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** An answer on its way must arrive before the next one is made. */
  async answerUnderWay(conversationId: string): Promise<boolean> {
    const answer = { conversationId, aiModel: Not(IsNull()) };
    if (await this.manager.existsBy(MessageTaskEntity, { message: answer })) return true;
    // One that its first process still sends has no task yet.
    const createdAt = MoreThan(new Date(this.clock.now() - LONGEST_FIRST_SEND_MS));
    return this.manager.existsBy(MessageEntity, { ...answer, createdAt, status: 'pending' });
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
      askedAt: open.at(-1)!.createdAt,
      traceparent: open.at(-1)!.traceparent,
      replyTo: open.find(({ options }) => options && 'answer_as_reply' in options)?.id,
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
    const where = { conversationId: conversation_id, direction: 'inbound' as const, seq, options: inContext() };
    return this.manager.find(MessageEntity, { where, order: NEWEST_FIRST, take: limit });
  }

  /**
   * The messages after the watermark before those, newest first. The answer to an earlier message is part of them even
   * where it was stored after messages that arrived while it was being made: in the order of storage the model would be
   * asked everything again that it has just answered.
   */
  private earlierMessages({ conversation_id, answered_seq }: ReplyTask, clearedSeq: number, limit: number) {
    const kept = { conversationId: conversation_id, status: Not('failed' as const), options: inContext() };
    const where = [
      { ...kept, direction: 'outbound' as const, seq: MoreThan(clearedSeq) },
      { ...kept, direction: 'inbound' as const, seq: And(MoreThan(clearedSeq), LessThanOrEqual(answered_seq)) },
    ];
    return this.manager.find(MessageEntity, { where, order: NEWEST_FIRST, take: limit });
  }
}
