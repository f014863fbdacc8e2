import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationStatus, Platform } from '#contracts';
import { Timestamp } from '../../core/database/columns';

@Entity('integrations')
export class IntegrationEntity {
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @Column('text') status!: IntegrationStatus;
  /** Why it is not connected; null while it is. */
  @Column('text', { nullable: true }) reason!: string | null;
  /** Error code of the lost connection; null while connected, and after a requested reconnect. */
  @Column('text', { name: 'error_code', nullable: true }) errorCode!: string | null;
  /** The status in the last event; null before the first event. */
  @Column('text', { nullable: true }) announced!: IntegrationStatus | null;
  /** Unused: only earlier versions write it. */
  @Column('boolean', { default: false }) fatal!: boolean;
  @Column('jsonb', { default: {} }) details!: Record<string, string>;
  @Timestamp({ name: 'connected_at', nullable: true }) connectedAt!: Date | null;
  /** The instance that holds the platform's connection, until `leaseUntil`. */
  @Column('uuid', { nullable: true }) holder!: string | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  /** When a holder last released its lease in a planned stop while the platform was connected. */
  @Timestamp({ name: 'handed_over_at', nullable: true }) handedOverAt!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  /** Counts reconnect requests, except those made while reconnecting. The holder reconnects when the number rises. */
  @Column('integer', { name: 'reconnect_request', default: 0 }) reconnectRequest!: number;
}
