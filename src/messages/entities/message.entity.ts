import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type {
  Confirmation,
  Direction,
  Environment,
  MessageData,
  MessageSender,
  MessageStatus,
  Platform,
  SendFailure,
} from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { StoredChoice } from '../receive/choices.service';
import type { OutboundOptions } from '../send/outbound-message';
import type { Repeat } from '../send/repeats';
import type { Reactions } from '../receive/reactions.rows';
import type { Person, Quoted } from '../../conversations/quoted.rows';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';

/** Options of an inbound message. */
export interface InboundOptions {
  /** It wants no answer. */
  expects_reply?: false;
  /** The assistant never sees it. */
  in_context?: false;
  /** Its answer is a reply to it. */
  answer_as_reply?: true;
  /** The option of an earlier message that it chose. */
  interactive_reply?: StoredChoice;
  /** The structure behind the content. */
  data?: MessageData;
  /** The message that it quotes, as the platform described it when the message came; `reply_to` names the stored one. */
  quoted?: Quoted;
  reactions?: Reactions;
  /** The item of an album, from 1, whose caption is the content. */
  caption_item?: number;
  /** When its author last edited or deleted it. */
  changed_at?: string;
  deleted?: boolean;
  /** Its content before each of the last ten edits, oldest first. */
  former_contents?: string[];
}

@Entity('messages')
// An index on an expression is beyond TypeORM.
@Index('messages_words', { synchronize: false })
@Index('messages_list', ['environment', 'createdAt', 'id'])
@Index('messages_conversation_list', ['conversationId', 'createdAt', 'id'])
@Index('messages_account', ['environment', 'platform', 'account', 'receivedId'], {
  unique: true,
  where: 'received_id IS NOT NULL',
})
@Index('messages_filtered_list', ['environment', 'platform', 'direction', 'createdAt', 'id'])
export class MessageEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('uuid', { name: 'conversation_id' }) conversationId!: string;
  @ManyToOne(() => ConversationEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'conversation_id' })
  conversation?: ConversationEntity;
  /** Position in the conversation, from 1, given under the conversation's row lock; 0 for a message without a place. */
  @Column('integer') seq!: number;
  @Column('text') platform!: Platform;
  /** Key of the account (`accountKey`). */
  @Column('text', { default: 'default' }) account!: string;
  @Column('text') direction!: Direction;
  @Column('text', { default: 'text' }) kind!: string;
  @Column('text') content!: string;
  @Column('text') status!: MessageStatus;
  @Column('jsonb', { nullable: true }) sender!: Person | null;
  @Column('jsonb', { nullable: true }) options!: OutboundOptions | InboundOptions | null;
  /** Null for inbound messages, and for outbound ones that are older than the column. */
  @Column('text', { name: 'sent_by', nullable: true }) sentBy!: MessageSender | null;
  /** The key that sent it; null for AI answers and inbound messages. */
  @Column('uuid', { name: 'api_key_id', nullable: true }) apiKeyId!: string | null;
  @Column('uuid', { name: 'reply_to', nullable: true }) replyTo!: string | null;
  /** The platform's id of an inbound message, or of one from a colleague's phone. Ids of outbound ones are in another column, without an index: see ADR 37. */
  @Column('text', { name: 'received_id', nullable: true }) receivedId!: string | null;
  /** The platform's id of an outbound message of one part. Messages of several parts have rows in `message_parts`. */
  @Column('text', { name: 'platform_message_id', nullable: true }) platformMessageId!: string | null;
  /** Only the version before sets this and the next column: a message that it is sending has no task. The next version drops both. */
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Timestamp({ name: 'write_started_at', nullable: true }) writeStartedAt!: Date | null;
  /** When it took its place in the conversation; in the year 9999 while it has none (`UNPLACED`). */
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  /** When a client asked for a scheduled message; null for others. */
  @Timestamp({ name: 'accepted_at', nullable: true }) acceptedAt!: Date | null;
  /** When to send a scheduled message; null for a message that is sent at once. */
  @Timestamp({ name: 'send_at', nullable: true }) sendAt!: Date | null;
  @Timestamp({ name: 'sent_at', nullable: true }) sentAt!: Date | null;
  @Timestamp({ name: 'delivered_at', nullable: true }) deliveredAt!: Date | null;
  @Timestamp({ name: 'read_at', nullable: true }) readAt!: Date | null;
  @Column('text', { nullable: true }) confirmation!: Confirmation | null;
  @Column('jsonb', { nullable: true }) failure!: SendFailure | null;
  @Column('text', { name: 'ai_model', nullable: true }) aiModel!: string | null;
  @Column('integer', { name: 'input_tokens', nullable: true }) inputTokens!: number | null;
  @Column('integer', { name: 'output_tokens', nullable: true }) outputTokens!: number | null;
  /** Milliseconds that the AI took or, if no AI wrote the message, the call to the platform. */
  @Column('integer', { name: 'latency_ms', nullable: true }) latencyMs!: number | null;
  /** US dollars; null if no AI wrote the message, and for answers that are older than the column. */
  @Column('numeric', { name: 'cost_usd', precision: 18, scale: 8, nullable: true }) costUsd!: string | null;
  /** Whether it has rows in `message_attachments`. */
  @Column('boolean', { name: 'has_attachments', default: false }) hasAttachments!: boolean;
  /** The W3C trace context in which it was received or accepted; null while tracing is off. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  /** The HTTP request that brought it, or the AI request that made an answer; null if a platform's connection brought it. */
  @Column('uuid', { name: 'request_id', nullable: true }) requestId!: string | null;
  /** For an answer: the positions of the first and last message that it answers; null for others. */
  @Column('integer', { name: 'answers_from', nullable: true }) answersFrom!: number | null;
  @Column('integer', { name: 'answers_to', nullable: true }) answersTo!: number | null;
  /** Attempts of its parts that the gateway retried; null: each part needed one attempt. */
  @Column('jsonb', { nullable: true }) repeats!: Repeat[] | null;
}

/** Who wrote a message. For outbound messages that are older than `sentBy`: the assistant if a model wrote them. */
export function senderOf({
  direction,
  sentBy,
  aiModel,
}: Pick<MessageEntity, 'direction' | 'sentBy' | 'aiModel'>): MessageSender | null {
  if (direction === 'inbound') return null;
  return sentBy ?? (aiModel === null ? 'api' : 'assistant');
}
