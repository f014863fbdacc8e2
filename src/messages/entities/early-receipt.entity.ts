import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type PartStatus, type Platform, type SendFailure } from '#contracts';
import { Timestamp } from '../../core/database/columns';
import type { Pricing } from '../../integrations/inbound/inbound-handler.port';

/** A receipt that arrived before its send was recorded: no message has that platform id yet. */
@Entity('early_receipts')
export class EarlyReceiptEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @PrimaryColumn('text', { name: 'platform_message_id' }) platformMessageId!: string;
  @PrimaryColumn('text') status!: PartStatus;
  @Timestamp() at!: Date;
  @Column('jsonb', { nullable: true }) failure!: SendFailure | null;
  @Column('jsonb', { nullable: true }) pricing!: Pricing | null;
  @Index('early_receipts_recorded') @Timestamp({ name: 'recorded_at' }) recordedAt!: Date;
}
