import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ENVIRONMENTS, type Environment, type Platform } from '#contracts';

/** A platform's bill for the messages that were to be sent in an hour. The parts of a message count as messages. */
@Entity('platform_usage')
export class PlatformUsageEntity {
  @PrimaryColumn('enum', { enum: ENVIRONMENTS, enumName: 'environment' }) environment!: Environment;
  @PrimaryColumn('timestamptz', { precision: 3 }) hour!: Date;
  @PrimaryColumn('text') platform!: Platform;
  @PrimaryColumn('text') category!: string;
  /** Calling code with `+`; empty where it is not known. */
  @PrimaryColumn('text') country!: string;
  @Column('integer') messages!: number;
  @Column('integer') billable!: number;
  /** Billable messages without a price: they are not in `cost_usd`. */
  @Column('integer') unpriced!: number;
  @Column('numeric', { name: 'cost_usd', precision: 18, scale: 8 }) costUsd!: string;
}
