import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../../core/database/columns';

/** One event for one webhook: it decides whether and when the event is delivered. */
@Entity('webhook_dispatches')
@Index('webhook_dispatches_due', ['webhookId', 'nextAt'], { where: 'next_at IS NOT NULL' })
@Index('webhook_dispatches_held', ['webhookId'], { where: "state = 'held'" })
export class WebhookDispatchEntity {
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId!: string;
  @PrimaryColumn('uuid', { name: 'webhook_id' }) webhookId!: string;
  /** `held`: it was due in a backup that was restored, and waits for `gateway webhooks resume`. */
  @Column('text', { default: 'pending' }) state!: 'pending' | 'held' | 'delivered' | 'failed';
  /** Attempts recorded so far. */
  @Column('integer', { default: 0 }) attempts!: number;
  /** Retries scheduled in this round: position in the retry schedule. Redelivery and replay begin a new round. */
  @Column('integer', { default: 0 }) retries!: number;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  /** The first success; a later redelivery that fails does not clear it. */
  @Timestamp({ name: 'delivered_at', nullable: true }) deliveredAt!: Date | null;
  @Timestamp({ name: 'next_at', nullable: true }) nextAt!: Date | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('integer', { default: 0 }) fence!: number;
  /** How often in a row it failed by a fault of the gateway itself. */
  @Column('integer', { default: 0 }) faults!: number;
  @Index('webhook_dispatches_faulty', { where: 'faults >= 5' })
  @Timestamp({ name: 'faulted_at', nullable: true })
  faultedAt!: Date | null;
}
