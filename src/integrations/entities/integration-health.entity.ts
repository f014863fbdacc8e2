import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';
import type { HealthDirection } from '#platforms';
import { Timestamp } from '../../core/database/columns';

@Entity('integration_health')
export class IntegrationHealthEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text', { default: 'default' }) account!: string;
  @PrimaryColumn('text') direction!: HealthDirection;
  @Timestamp({ name: 'last_success_at', nullable: true }) lastSuccessAt!: Date | null;
  @Timestamp({ name: 'last_error_at', nullable: true }) lastErrorAt!: Date | null;
  @Column('text', { name: 'last_error_code', nullable: true }) lastErrorCode!: string | null;
  @Column('text', { name: 'last_error', nullable: true }) lastError!: string | null;
  /** How many messages waited at the platform, as it reported at `backlogAt`. */
  @Column('integer', { nullable: true }) backlog!: number | null;
  @Timestamp({ name: 'backlog_at', nullable: true }) backlogAt!: Date | null;
}
