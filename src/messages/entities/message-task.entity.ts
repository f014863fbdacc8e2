import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';
import { MessageEntity } from './message.entity';

/** Due work for an outbound message: `send` it, or `confirm` its delivery (platforms without receipts). */
@Entity('message_tasks')
export class MessageTaskEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  @OneToOne(() => MessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id', foreignKeyConstraintName: 'message_tasks_message' })
  message?: MessageEntity;
  @Column('text') stage!: 'send' | 'confirm';
  /** Set before the first byte goes to a platform that does not deduplicate: null means that nothing was written. */
  @Timestamp({ name: 'write_started_at', nullable: true }) writeStartedAt!: Date | null;
  @Index('message_tasks_due') @Timestamp({ name: 'next_at' }) nextAt!: Date;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
}
