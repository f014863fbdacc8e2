import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Environment, Platform } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import { MessageEntity } from './message.entity';

/** Due work: an album whose items still arrive. It is closed two seconds after the last one. */
@Entity('albums')
@Index('albums_account', ['environment', 'platform', 'account', 'albumKey'], { unique: true })
export class AlbumEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  @OneToOne(() => MessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id', foreignKeyConstraintName: 'albums_message' })
  message?: MessageEntity;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') platform!: Platform;
  @Column('text', { default: 'default' }) account!: string;
  /** The participant and the platform's id of the album. */
  @Column('text', { name: 'album_key' }) albumKey!: string;
  @Column('integer', { default: 1 }) items!: number;
  /** The item whose caption is the content of the message, from 1; null: none has one. */
  @Column('integer', { name: 'caption_item', nullable: true }) captionItem!: number | null;
  /** When the first item was written, by the platform's clock. */
  @Timestamp({ name: 'sent_at' }) sentAt!: Date;
  @Index('albums_due') @Timestamp({ name: 'next_at' }) nextAt!: Date;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('albums_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
