import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AttachmentKind, AttachmentStatus, Environment, Platform } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

/** Where the bytes of an inbound attachment come from. */
export interface AttachmentSource {
  platform: Platform;
  /** Key of the account; missing for that of the environment. */
  account?: string;
  /** The adapter's reference to the file; only the adapter reads it. */
  ref: string;
}

/** A file, a place or a contact of messages. While `next_at` is set, its download or transcript is due work. */
@Entity('attachments')
@Index('attachments_stored', ['environment', 'sha256'], { where: `status = 'stored'` })
@Index('attachments_kept', ['environment', 'createdAt'], { where: `status = 'stored'` })
export class AttachmentEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  /** The inbound message with which it came; null for an upload and for a file that was fetched for a send. */
  @Column('uuid', { name: 'message_id', nullable: true }) messageId!: string | null;
  @Column('text') kind!: AttachmentKind;
  @Column('text', { name: 'mime_type', nullable: true }) mimeType!: string | null;
  @Column('bigint', { name: 'size_bytes', nullable: true }) sizeBytes!: string | null;
  @Column('text', { nullable: true }) sha256!: string | null;
  @Column('text', { nullable: true }) filename!: string | null;
  @Column('integer', { nullable: true }) width!: number | null;
  @Column('integer', { nullable: true }) height!: number | null;
  @Column('double precision', { name: 'duration_seconds', nullable: true }) durationSeconds!: number | null;
  @Column('text') status!: AttachmentStatus;
  /** Why the file is not stored: a word or a sentence. */
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { nullable: true }) transcript!: string | null;
  /** The AI provider refused the file. */
  @Column('boolean', { default: false }) unreadable!: boolean;
  /** Null once the download has ended. */
  @Column('jsonb', { nullable: true }) source!: AttachmentSource | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  /** Uploads that no message uses are removed after a day. */
  @Index('attachments_unused', { where: 'unused_since IS NOT NULL' })
  @Timestamp({ name: 'unused_since', nullable: true })
  unusedSince!: Date | null;
  @Index('attachments_due', { where: 'next_at IS NOT NULL' })
  @Timestamp({ name: 'next_at', nullable: true })
  nextAt!: Date | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('attachments_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
