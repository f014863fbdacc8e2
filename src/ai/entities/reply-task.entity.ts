import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { ReplyError } from '../../conversations/list/last-error';
import { ConversationEntity } from '../../conversations/entities/conversation.entity';

/** The assistant's due work: one row per conversation. */
@Entity('reply_tasks')
@Index('reply_tasks_failed', ['environment'], { where: 'last_error IS NOT NULL' })
@Index('reply_tasks_due', ['nextAt'], { where: 'next_at IS NOT NULL' })
export class ReplyTaskEntity {
  @PrimaryColumn('uuid', { name: 'conversation_id' }) conversationId!: string;
  @OneToOne(() => ConversationEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'conversation_id' })
  conversation?: ConversationEntity;
  @EnvironmentColumn() environment!: Environment;
  /** Inbound messages up to this `seq` are answered, or need no answer. */
  @Column('integer', { name: 'answered_seq', default: 0 }) answeredSeq!: number;
  /** The newest inbound `seq` that wants an answer. */
  @Column('integer', { name: 'requested_seq', default: 0 }) requestedSeq!: number;
  @Timestamp({ name: 'next_at', nullable: true }) nextAt!: Date | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('reply_tasks_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
  /** Whether it was already counted in the limit of its conversation: it waits for its turn, or is retried. */
  @Column('boolean', { default: false }) admitted!: boolean;
  /** UUID of the request that the provider failed: the next round of attempts belongs to it. Null before the first failure. */
  @Column('uuid', { name: 'request_id', nullable: true }) requestId!: string | null;
  /** Answers that failed for good in a row, the last of them to the message at `failedSeq`. */
  @Column('integer', { default: 0 }) failures!: number;
  @Column('integer', { name: 'failed_seq', default: 0 }) failedSeq!: number;
  /** Why the messages up to `requestedSeq` have no answer; null if they have one, want none, or were not tried yet. */
  @Column('jsonb', { name: 'last_error', nullable: true }) lastError!: ReplyError | null;
  /** When a reply was last given up for a fault of the gateway itself. */
  @Index('reply_tasks_given_up', { where: 'given_up_at IS NOT NULL' })
  @Timestamp({ name: 'given_up_at', nullable: true })
  givenUpAt!: Date | null;
}
