import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type ConversationStatus, type Environment, type Platform } from '#contracts';

@Entity('conversation_counts')
export class ConversationCountEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  /** The hour in which the conversations were created; `-infinity`: all hours. */
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date | number;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text') status!: ConversationStatus;
  @Column('bigint') count!: string;
}
