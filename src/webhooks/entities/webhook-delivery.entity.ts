import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventType } from '#contracts';
import type { DeliveryStatus } from '../dto/delivery.dto';
import { Timestamp } from '../../core/database/columns';

/** One attempt. Never changed. */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_list', ['webhookId', 'createdAt', 'id'])
@Index('webhook_deliveries_event', ['eventId'])
export class WebhookDeliveryEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'webhook_id' }) webhookId!: string;
  @Column('uuid', { name: 'event_id' }) eventId!: string;
  @Column('text', { name: 'event_type' }) eventType!: EventType;
  @Column('integer') attempt!: number;
  @Column('text') status!: DeliveryStatus;
  @Column('integer', { name: 'response_code', nullable: true }) responseCode!: number | null;
  @Column('integer', { name: 'response_time_ms' }) responseTimeMs!: number;
  /** Where it went; null for an attempt before this was stored. */
  @Column('text', { nullable: true, select: false }) url!: string | null;
  /** Whether it was signed with the previous secret as well. */
  @Column('boolean', { name: 'signed_twice', default: false, select: false }) signedTwice!: boolean;
  /** Headers of the answer, by their names in lower case. */
  @Column('json', { name: 'response_headers', nullable: true, select: false })
  responseHeaders!: Record<string, string> | null;
  /** The first 4 KiB. */
  @Column('text', { name: 'response_body', nullable: true, select: false }) responseBody!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  @Timestamp({ name: 'next_retry_at', nullable: true }) nextRetryAt!: Date | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
}
