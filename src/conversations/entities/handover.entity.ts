import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Environment, HandoverReason } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { AnswerLimit } from '../handover/raised-limits';
import { ConversationEntity } from './conversation.entity';

/** A conversation that the assistant does not have: a person is requested, or has it. It is due work if it has an end. */
@Entity('handovers')
@Index('handovers_due', ['nextAt'], { where: 'next_at IS NOT NULL' })
@Index('handovers_waiting', ['environment', 'requestedAt'], { where: 'taken_at IS NULL AND requested_at IS NOT NULL' })
@Index('handovers_notify', ['notifyAt'], { where: 'notify_at IS NOT NULL' })
export class HandoverEntity {
  @PrimaryColumn('uuid', { name: 'conversation_id' }) conversationId!: string;
  @OneToOne(() => ConversationEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'conversation_id', foreignKeyConstraintName: 'handovers_conversation' })
  conversation?: ConversationEntity;
  @EnvironmentColumn() environment!: Environment;
  /** Each request has another one. */
  @Column('uuid', { name: 'request_id' }) requestId!: string;
  /** Why the gateway requested a person; null where a person took over without a request. */
  @Column('text', { nullable: true }) reason!: HandoverReason | null;
  /** The limit that refused an answer, if that is the reason. */
  @Column('text', { name: 'waits_for', nullable: true }) waitsFor!: AnswerLimit | null;
  @Column('text', { nullable: true }) summary!: string | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) assignee!: string | null;
  @Timestamp({ name: 'requested_at', nullable: true }) requestedAt!: Date | null;
  @Timestamp({ name: 'taken_at', nullable: true }) takenAt!: Date | null;
  /** When the assistant gets the conversation back; null: only on request. */
  @Timestamp({ name: 'resume_at', nullable: true }) resumeAt!: Date | null;
  /** When the gateway mails the owner that the conversation still waits for a person; null once it did, or a person has it. */
  @Timestamp({ name: 'notify_at', nullable: true }) notifyAt!: Date | null;
  /** Shortly before `resumeAt`. */
  @Timestamp({ name: 'next_at', nullable: true }) nextAt!: Date | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('handovers_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
