import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/**
 * Due work: a message without an outcome, or one of the sandbox whose delivery is not confirmed. The process that stores the
 * message holds the lease first; another one claims the task when the lease has ended, or when that process postpones the send.
 */
@Entity('message_tasks')
export class MessageTaskEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  /** When a write to the platform may have begun: set when a client's live message is stored, and before later writes. Null: nothing is being written, except perhaps an answer. */
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
