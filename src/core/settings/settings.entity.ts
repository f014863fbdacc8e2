import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import type { SettingsChanges } from './settings';

@Entity('settings')
export class SettingsEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  /** Only the changed settings; defaults fill the rest when read. */
  @Column('jsonb') document!: SettingsChanges;
  @Column('integer', { default: 1 }) version!: number;
}
