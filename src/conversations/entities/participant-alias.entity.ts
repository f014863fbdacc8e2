import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';

/** Another id by which a platform may name a participant: the conversation is stored under one of them. */
@Entity('participant_aliases')
@Index('participant_aliases_participant', ['environment', 'platform', 'participantId'])
export class ParticipantAliasEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @PrimaryColumn('text') alias!: string;
  @Column('text', { name: 'participant_id' }) participantId!: string;
}
