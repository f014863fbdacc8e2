import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

/** The `error` of a mail that a restore holds. */
export const HELD_MAIL = 'held since the restore of a backup';

@Entity('mail_outbox')
@Index('mail_outbox_due', ['nextAt'], { where: 'next_at IS NOT NULL' })
export class MailEntity {
  @PrimaryColumn('uuid') id!: string;
  /** The environment whose owner gets the mail; the mailer looks the address up when it sends. */
  @EnvironmentColumn() environment!: Environment;
  /** Null for a mail that stands for itself. */
  @Column('text', { nullable: true }) kind!: 'waiting' | null;
  @Column('text') subject!: string;
  @Column('text') text!: string;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'sent_at', nullable: true }) sentAt!: Date | null;
  /** Why the last attempt failed, or why there was none. */
  @Column('text', { nullable: true }) error!: string | null;
  @Timestamp({ name: 'next_at', nullable: true }) nextAt!: Date | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  @Column('integer', { default: 0 }) attempts!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('mail_outbox_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
