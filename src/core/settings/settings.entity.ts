import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';

@Entity('settings')
export class SettingsEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  /** Only what was changed; defaults fill the rest when read. */
  @Column('jsonb') document!: Record<string, unknown>;
  @Column('integer', { default: 1 }) version!: number;
}
