import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { HandoverReason } from '#contracts';
import { Timestamp } from '../../core/database/columns';
import { ConversationEntity } from './conversation.entity';

/** How a handover ended: a client handed the conversation back, its timer did (also if its limit was raised), or its conversation was merged. */
export const HANDOVER_ENDS = ['request', 'timer', 'merge'] as const;
export type HandoverEnd = (typeof HANDOVER_ENDS)[number];

/** A handover that has ended. */
@Entity('past_handovers')
@Index('past_handovers_list', ['conversationId', 'resumedAt'])
export class PastHandoverEntity {
  @PrimaryColumn('uuid', { name: 'request_id', primaryKeyConstraintName: 'PK_past_handovers' }) requestId!: string;
  @Column('uuid', { name: 'conversation_id' }) conversationId!: string;
  @ManyToOne(() => ConversationEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'conversation_id', foreignKeyConstraintName: 'past_handovers_conversation' })
  conversation?: ConversationEntity;
  @Column('text', { nullable: true }) reason!: HandoverReason | null;
  @Column('text', { nullable: true }) summary!: string | null;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('text', { nullable: true }) assignee!: string | null;
  @Timestamp({ name: 'requested_at', nullable: true }) requestedAt!: Date | null;
  @Timestamp({ name: 'taken_at', nullable: true }) takenAt!: Date | null;
  @Timestamp({ name: 'resumed_at' }) resumedAt!: Date;
  @Column('text', { name: 'ended_by' }) endedBy!: HandoverEnd;
}
