import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn } from '../../core/database/columns';

/** The part of `ai_usage` that a conversation caused. */
@Entity('ai_conversation_usage')
@Index('ai_conversation_usage_period', ['environment', 'hour'])
export class AiConversationUsageEntity {
  @PrimaryColumn('uuid', { name: 'conversation_id', primaryKeyConstraintName: 'PK_ai_conversation_usage' })
  conversationId!: string;
  @PrimaryColumn('timestamptz', { precision: 3, primaryKeyConstraintName: 'PK_ai_conversation_usage' }) hour!: Date;
  @EnvironmentColumn() environment!: Environment;
  @Column('bigint') requests!: string;
  @Column('bigint', { name: 'input_tokens' }) inputTokens!: string;
  @Column('bigint', { name: 'output_tokens' }) outputTokens!: string;
  @Column('numeric', { name: 'cost_usd', precision: 18, scale: 8 }) costUsd!: string;
}
