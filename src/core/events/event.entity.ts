import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment, EventType } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../database/columns';

@Entity('events')
@Index('events_list', ['environment', 'createdAt', 'id'])
export class EventEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') type!: EventType;
  /** The exact JSON text that receivers get; signatures cover it. */
  @Column('text') body!: string;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  /** The W3C trace context of what caused it; null while tracing is off. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}
