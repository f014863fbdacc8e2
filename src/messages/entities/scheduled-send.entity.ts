import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import { MessageEntity } from './message.entity';

/** Due work: a message that waits for its `sendAt`. It takes its place in the conversation then, and is sent. */
@Entity('scheduled_sends')
export class ScheduledSendEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  @OneToOne(() => MessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id', foreignKeyConstraintName: 'scheduled_sends_message' })
  message?: MessageEntity;
  @EnvironmentColumn() environment!: Environment;
  @Index('scheduled_sends_due') @Timestamp({ name: 'next_at' }) nextAt!: Date;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('scheduled_sends_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
