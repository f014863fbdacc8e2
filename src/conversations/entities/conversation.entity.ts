import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ConversationStatus, Environment, Handling, Platform } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

/** The length of a slot of `lastMessageSlot`, in milliseconds. */
export const SLOT_MS = 300_000;

@Entity('conversations')
@Index('conversations_account', ['environment', 'platform', 'account', 'participantId'], { unique: true })
@Index('conversations_recent', ['environment', 'lastMessageSlot'])
@Index('conversations_archived', ['environment', 'lastMessageSlot'], { where: `status = 'archived'` })
@Index('conversations_handed_over', ['environment', 'lastMessageSlot'], { where: `handling <> 'assistant'` })
@Index('conversations_kept', ['environment', 'lastMessageSlot'], { where: 'erased_at IS NULL' })
@Index('conversations_erased', ['environment', 'erasedAt'], { where: 'erased_at IS NOT NULL' })
// A GIN index is beyond TypeORM.
@Index('conversations_labelled', { synchronize: false })
@Index('conversations_created', ['environment', 'createdAt', 'id'])
@Check('conversations_merged_archived', `merged_into IS NULL OR status = 'archived'`)
export class ConversationEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') platform!: Platform;
  /** Key of the account (`accountKey`). */
  @Column('text', { default: 'default' }) account!: string;
  /** Null once the conversation is erased: a new message of the person opens another one. */
  @Column('text', { name: 'participant_id', nullable: true }) participantId!: string | null;
  @Column('text', { name: 'participant_name', nullable: true }) participantName!: string | null;
  @Column('text', { name: 'participant_username', nullable: true }) participantUsername!: string | null;
  /** The address that the adapter writes to, if it differs from the participant's id. */
  @Column('text', { nullable: true }) address!: string | null;
  @Column('text', { default: 'active' }) status!: ConversationStatus;
  /** The number of messages, and the `seq` of the newest one. */
  @Column('integer', { name: 'message_count', default: 0 }) messageCount!: number;
  /** The watermark of the AI context: only messages with a greater `seq` are part of it. */
  @Column('integer', { name: 'cleared_seq', default: 0 }) clearedSeq!: number;
  /** When `clearedSeq` was last set; also null if it was last set before this column existed. */
  @Timestamp({ name: 'cleared_at', nullable: true }) clearedAt!: Date | null;
  @Column('text', { default: 'assistant' }) handling!: Handling;
  /** `messageCount` when `handling` last changed: the assistant answers only later messages. */
  @Column('integer', { name: 'handling_seq', default: 0 }) handlingSeq!: number;
  /** Kept by a trigger for the previous version. This version neither reads nor writes it. */
  @Column({ type: 'boolean', name: 'ai_paused', default: false, select: false, insert: false, update: false })
  aiPaused?: boolean;
  /** Words by which clients sort conversations. */
  @Column('text', { array: true, default: '{}' }) labels!: string[];
  /** Pairs that clients set. */
  @Column('jsonb', { default: {} }) metadata!: Record<string, string>;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'last_message_at' }) lastMessageAt!: Date;
  /** When the participant last wrote, by the platform's clock; null if the participant never wrote, or last wrote before this column existed. */
  @Timestamp({ name: 'last_inbound_at', nullable: true }) lastInboundAt!: Date | null;
  /**
   * `lastMessageAt`, rounded down to five minutes: with an index on `lastMessageAt` itself, each message would update every
   * index. PostgreSQL computes it. The expression here is empty, because TypeORM would keep it in a table of its own.
   */
  @Timestamp({ name: 'last_message_slot', generatedType: 'STORED', asExpression: ' ', insert: false, update: false })
  lastMessageSlot!: Date;
  /** When a caller last made it active: it is idle since then, or since its last message if that is later. */
  @Timestamp({ name: 'activated_at', nullable: true }) activatedAt!: Date | null;
  /** When its erasure was asked for: from then on nothing is stored, sent or answered in it. */
  @Timestamp({ name: 'erased_at', nullable: true }) erasedAt!: Date | null;
  /** The older conversation of the same person, which answers all of the person's ids. This one only keeps its messages. */
  @Column('uuid', { name: 'merged_into', nullable: true })
  mergedInto!: string | null;
}

/** A conversation that is locked, and not erased. */
export type LockedConversation = ConversationEntity & { participantId: string };
