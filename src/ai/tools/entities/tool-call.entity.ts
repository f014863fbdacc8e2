import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Environment, ToolCallStatus } from '#contracts';
import { EnvironmentColumn, Timestamp } from '../../../core/database/columns';

/** A call of a tool. It is stored before it is sent, so that a repeated one has the same id and arguments. */
@Entity('tool_calls')
@Index('tool_calls_list', ['toolId', 'createdAt', 'id'])
@Index('tool_calls_conversation', ['conversationId', 'id'], { where: 'conversation_id IS NOT NULL' })
export class ToolCallEntity {
  @PrimaryColumn('uuid') id!: string;
  @EnvironmentColumn() environment!: Environment;
  @Column('uuid', { name: 'tool_id' }) toolId!: string;
  @Column('text') name!: string;
  /** JSON null if the model wrote no object. */
  @Column('json') arguments!: object | null;
  /** Null for a call of `/ai/generate`, as the next three are. */
  @Column('uuid', { name: 'conversation_id', nullable: true }) conversationId!: string | null;
  /** The newest message to answer. */
  @Column('uuid', { name: 'message_id', nullable: true }) messageId!: string | null;
  /** Positions of the messages to answer: they name the answer that the call belongs to. */
  @Column('integer', { name: 'answers_from', nullable: true }) answersFrom!: number | null;
  @Column('integer', { name: 'answers_to', nullable: true }) answersTo!: number | null;
  /** Number of the round, from 1. */
  @Column('smallint') round!: number;
  /** The text that the model wrote beside the calls of the round. */
  @Column('text', { nullable: true, select: false }) said!: string | null;
  /** Null while the outcome is unknown. */
  @Column('text', { nullable: true }) status!: ToolCallStatus | null;
  @Column('integer', { nullable: true }) ms!: number | null;
  /** As much of the result as the model sees. */
  @Column('text', { nullable: true }) result!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  @Timestamp({ name: 'created_at' }) createdAt!: Date;
}
