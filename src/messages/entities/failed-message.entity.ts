import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';

/** A message that failed. Triggers of `messages` write it, in the statement that the message fails by. */
@Entity('failed_messages')
export class FailedMessageEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('timestamptz', { precision: 3, name: 'created_at' }) createdAt!: Date;
  @PrimaryColumn('uuid', { name: 'message_id' }) messageId!: string;
  /** Part of the key, so that a list by platform is counted from its index alone. */
  @PrimaryColumn('text') platform!: Platform;
  @Column('uuid', { name: 'conversation_id' }) conversationId!: string;
}
