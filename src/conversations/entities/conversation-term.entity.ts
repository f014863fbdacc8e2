import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn } from '../../core/database/columns';
import { ConversationEntity } from './conversation.entity';

/** A name by which a conversation is found, in folded case. The triggers of `conversations` write it. */
@Entity('conversation_terms')
// Their operator classes are beyond TypeORM; `ConversationSearch` makes the second, where it can.
@Index('conversation_terms_beginning', { synchronize: false })
@Index('conversation_terms_anywhere', { synchronize: false })
export class ConversationTermEntity {
  @PrimaryColumn('uuid', { name: 'conversation_id', primaryKeyConstraintName: 'PK_conversation_terms' })
  conversationId!: string;
  @ManyToOne(() => ConversationEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'conversation_id', foreignKeyConstraintName: 'conversation_terms_conversation' })
  conversation?: ConversationEntity;
  @PrimaryColumn('text', { primaryKeyConstraintName: 'PK_conversation_terms' }) field!: 'name' | 'username' | 'id';
  @EnvironmentColumn() environment!: Environment;
  /** The first 256 characters. */
  @Column('text') term!: string;
}
