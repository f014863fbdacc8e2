import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';

/** A failed message. Triggers of `messages` write it, in the statement that makes the message fail. */
@Entity('failed_messages')
export class FailedMessageEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('timestamptz', { precision: 3, name: 'created_at' }) createdAt!: Date;
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  /** Part of the key, so that its index alone counts a list by platform. */
  @PrimaryColumn('text') platform!: Platform;
  @Column('uuid', { name: 'conversation_id' }) conversationId!: string;
}
