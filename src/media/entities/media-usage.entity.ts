import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';

/** The bytes of all `media_files` of an environment: what `media.quota_bytes` limits. */
@Entity('media_usage')
export class MediaUsageEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @Column('bigint') bytes!: string;
}
