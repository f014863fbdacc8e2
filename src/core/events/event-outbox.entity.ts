import { Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { Timestamp } from '../database/columns';
import { EventEntity } from './event.entity';

@Entity('event_outbox')
export class EventOutboxEntity {
  @PrimaryColumn('uuid', { name: 'event_id' }) eventId!: string;
  @OneToOne(() => EventEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'event_id', foreignKeyConstraintName: 'event_outbox_event' })
  event?: EventEntity;
  /** Until then the process that wrote the event handles it; afterwards any instance may. */
  @Index('event_outbox_due') @Timestamp({ name: 'lease_until' }) leaseUntil!: Date;
}
