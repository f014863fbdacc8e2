import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Confirmation, Direction, Environment, MessageStatus, Platform, SendFailure } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { OutboundOptions } from '../outbound/outbound-message';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';

/** For an inbound message that wants no answer. */
export interface InboundOptions {
  expects_reply: false;
}

@Entity('messages')
@Index('messages_list', ['environment', 'createdAt', 'id'])
@Index('messages_conversation_list', ['conversationId', 'createdAt', 'id'])
@Index('messages_filtered_list', ['environment', 'platform', 'direction', 'createdAt', 'id'])
export class MessageEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('uuid', { name: 'conversation_id' }) conversationId!: string;
  @ManyToOne(() => ConversationEntity)
  @JoinColumn({ name: 'conversation_id', foreignKeyConstraintName: 'messages_conversation' })
  conversation?: ConversationEntity;
  /** Position in the conversation, from 1, given under the conversation's row lock. */
  @Column('integer') seq!: number;
  @Column('text') platform!: Platform;
  @Column('text') direction!: Direction;
  @Column('text', { default: 'text' }) kind!: string;
  @Column('text') content!: string;
  @Column('text') status!: MessageStatus;
  @Column('jsonb', { nullable: true }) sender!: { id: string; name: string | null; username: string | null } | null;
  @Column('jsonb', { nullable: true }) options!: OutboundOptions | InboundOptions | null;
  /** The key that sent it; null for AI answers and inbound messages. */
  @Column('uuid', { name: 'api_key_id', nullable: true }) apiKeyId!: string | null;
  @Column('uuid', { name: 'reply_to', nullable: true }) replyTo!: string | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'sent_at', nullable: true }) sentAt!: Date | null;
  @Timestamp({ name: 'delivered_at', nullable: true }) deliveredAt!: Date | null;
  @Timestamp({ name: 'read_at', nullable: true }) readAt!: Date | null;
  @Column('text', { nullable: true }) confirmation!: Confirmation | null;
  @Column('jsonb', { nullable: true }) failure!: SendFailure | null;
  @Column('text', { name: 'ai_model', nullable: true }) aiModel!: string | null;
  @Column('integer', { name: 'input_tokens', nullable: true }) inputTokens!: number | null;
  @Column('integer', { name: 'output_tokens', nullable: true }) outputTokens!: number | null;
  @Column('integer', { name: 'latency_ms', nullable: true }) latencyMs!: number | null;
}
