import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment } from '#contracts';
import type { WebhookStatus } from '../dto/webhook.dto';
import { EnvironmentColumn, Timestamp } from '../../core/database/columns';

@Entity('webhooks')
@Index('webhooks_list', ['environment', 'createdAt', 'id'])
export class WebhookEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') url!: string;
  /** Event types, or `*` alone. */
  @Column('text', { array: true }) events!: string[];
  /** Public ids of the accounts whose events it gets, besides those about no account; empty: all. */
  @Column('text', { array: true, default: [] }) accounts!: string[];
  @Column('text', { default: 'active' }) status!: WebhookStatus;
  /** Encrypted (AES-256-GCM), bound to the row's id. */
  @Column('bytea', { select: false }) secret!: Buffer;
  /** The secret before the last change; it signs beside the new one until `previousSecretUntil`. */
  @Column('bytea', { name: 'previous_secret', nullable: true, select: false }) previousSecret!: Buffer | null;
  @Timestamp({ name: 'previous_secret_until', nullable: true }) previousSecretUntil!: Date | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  @Timestamp({ name: 'updated_at' }) updatedAt!: Date;
}
