import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';
import { Timestamp } from '../../core/database/columns';

/** Whether a person takes the marketing messages of the business, under one of the ids that the platform uses. */
@Entity('marketing_preferences')
export class MarketingPreferenceEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @PrimaryColumn('text', { name: 'participant_id' }) participantId!: string;
  @Column('boolean') allowed!: boolean;
  @Timestamp({ name: 'changed_at' }) changedAt!: Date;
  /** When a stop that only a refused message told of ends; null: it lasts until the person allows them again. */
  @Timestamp({ name: 'ends_at', nullable: true }) endsAt!: Date | null;
}
