import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import { MessageEntity } from './message.entity';

/**
 * Due work: an unsent message that its first process left, because the platform asked to wait or is unavailable, or because
 * the process died. Before that, the row of the message itself holds the lease.
 */
@Entity('message_tasks')
export class MessageTaskEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  @OneToOne(() => MessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id', foreignKeyConstraintName: 'message_tasks_message' })
  message?: MessageEntity;
  /** As `writeStartedAt` of the message. */
  @Timestamp({ name: 'write_started_at', nullable: true }) writeStartedAt!: Date | null;
  @Index('message_tasks_due') @Timestamp({ name: 'next_at' }) nextAt!: Date;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('message_tasks_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
