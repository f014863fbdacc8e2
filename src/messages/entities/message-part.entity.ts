import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Environment, PartStatus, Platform, SendFailure } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';
import type { PartBilling } from '../../billing/billing';
import { MessageEntity } from './message.entity';

/** A part of a message that has several parts, or that gets receipts from its platform: a receipt names the part's id. */
@Entity('message_parts')
@Index('message_parts_account', ['environment', 'platform', 'account', 'platformMessageId'], {
  unique: true,
  where: `platform_message_id IS NOT NULL AND status = 'received'`,
})
@Index('message_parts_sent', ['environment', 'platform', 'platformMessageId'], {
  where: `platform_message_id IS NOT NULL AND status <> 'received'`,
})
export class MessagePartEntity {
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  @ManyToOne(() => MessageEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'message_id' })
  message?: MessageEntity;
  @PrimaryColumn('integer', { name: 'part_index' }) partIndex!: number;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') platform!: Platform;
  @Column('text', { default: 'default' }) account!: string;
  @Column('text', { name: 'platform_message_id', nullable: true }) platformMessageId!: string | null;
  @Column('text') status!: PartStatus;
  @Timestamp({ name: 'recorded_at' }) recordedAt!: Date;
  /** From receipts, by the platform's clock. */
  @Timestamp({ name: 'delivered_at', nullable: true }) deliveredAt!: Date | null;
  @Timestamp({ name: 'read_at', nullable: true }) readAt!: Date | null;
  @Column('jsonb', { nullable: true }) failure!: SendFailure | null;
  /** Billing from the platform's latest status; null until one names a price. */
  @Column('jsonb', { nullable: true }) billing!: PartBilling | null;
}
