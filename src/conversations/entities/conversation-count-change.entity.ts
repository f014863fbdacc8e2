import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ConversationStatus, Environment, Platform } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

/** The triggers of `conversations` write it; `conversation_counts` does not include it yet. */
@Entity('conversation_count_changes')
export class ConversationCountChangeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Timestamp() hour!: Date;
  @Column('text') platform!: Platform;
  @Column('text') status!: ConversationStatus;
  @Column('integer') change!: number;
}
