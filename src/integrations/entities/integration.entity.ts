import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IntegrationStatus, Platform } from '#contracts';
import { Timestamp } from '../../core/database/columns';

@Entity('integrations')
export class IntegrationEntity {
  @PrimaryColumn('text') platform!: Platform;
  @Column('text') status!: IntegrationStatus;
  /** Why it is not connected; null while it is. */
  @Column('text', { nullable: true }) reason!: string | null;
  /** Why it is not connected, in one word; null while it is, and after a reconnect that was asked for. */
  @Column('text', { name: 'error_code', nullable: true }) errorCode!: string | null;
  /** The status that events last told of; null before the first. */
  @Column('text', { nullable: true }) announced!: IntegrationStatus | null;
  /** No code reads it any more; earlier versions write it. */
  @Column('boolean', { default: false }) fatal!: boolean;
  @Column('jsonb', { default: {} }) details!: Record<string, string>;
  @Timestamp({ name: 'connected_at', nullable: true }) connectedAt!: Date | null;
  /** The instance that holds the platform's connection, until `leaseUntil`. */
  @Column('uuid', { nullable: true }) holder!: string | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  /** When the last holder that stopped as planned gave the connection back while the platform was connected. */
  @Timestamp({ name: 'handed_over_at', nullable: true }) handedOverAt!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  /** Counts the reconnects asked for while not reconnecting anyway; the holder compares it with the last one it has seen. */
  @Column('integer', { name: 'reconnect_request', default: 0 }) reconnectRequest!: number;
}
