import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import type { Health } from '../component-health.service';
import { Timestamp } from '../../core/database/columns';

@Entity('health_states')
export class HealthStateEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  /** The health that the last event reported; null before the first check. */
  @Column('text', { nullable: true }) status!: Health | null;
  /** The instance that watches the health, until `leaseUntil`. */
  @Column('uuid', { nullable: true }) holder!: string | null;
  @Timestamp({ name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
}
