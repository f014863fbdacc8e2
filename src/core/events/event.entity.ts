import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment, EventType } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../database/columns';

@Entity('events')
@Index('events_list', ['environment', 'createdAt', 'id'])
@Index('events_subject', ['conversationId', 'messageId'], { where: 'conversation_id IS NOT NULL' })
// An index of the events that report problems, by `event_cause(body)`; TypeORM cannot declare an index on an expression.
@Index('events_problems', { synchronize: false })
export class EventEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('text') type!: EventType;
  /** The exact JSON text that receivers get; signatures cover it. */
  @Column('text') body!: string;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
  /** The W3C trace context of its cause; null while tracing is off. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  /** The conversation that the event is about, if any; null for an event of an earlier version. */
  @Column('uuid', { name: 'conversation_id', nullable: true }) conversationId!: string | null;
  /** The message that the event is about; for an AI call for a reply, the newest message to be answered. */
  @Column('uuid', { name: 'message_id', nullable: true }) messageId!: string | null;
  /** AI calls for a reply: the position in the conversation of the first message to be answered. */
  @Column('integer', { name: 'answers_from', nullable: true }) answersFrom!: number | null;
}
